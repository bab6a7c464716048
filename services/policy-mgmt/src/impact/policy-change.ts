import type { PolicyEffect, PolicyReviewRequest, PolicySpec, PolicyStage, PolicyViolation } from '@crate/api';
import { fits, matches, type ActiveWaiver, type CataloguedPolicy, type RuleReviewer } from '@crate/policy-engine';

/** A rule as it is, and as it is to be; absent: there is none. */
export interface PolicyChange {
  readonly before?: CataloguedPolicy;
  readonly after?: CataloguedPolicy;
}

/** What a change would make of a document. */
export type ConsequenceKind = 'newlyDenied' | 'newlyWarned' | 'noLonger';

/** What a change leads to for one document, and the violation that tells why. */
export interface DocumentConsequence {
  readonly kind: ConsequenceKind;
  readonly violation: PolicyViolation;
}

const RANK: Readonly<Record<PolicyEffect, number>> = { deny: 0, warn: 1, inform: 2, record: 3 };

/** Stages whose documents a change may concern. */
export function stagesOf({ before, after }: PolicyChange): readonly PolicyStage[] {
  return [...new Set([before, after].flatMap((rule) => rule?.policy.spec.match.stages ?? []))];
}

/** Whether a change may concern documents of a Project. */
export function concernsProject({ before, after }: PolicyChange, project: string): boolean {
  return [before, after].some((rule) => rule !== undefined && isAbout(rule.policy.spec, project));
}

/** What a change leads to for a document; undefined when the document stands as before. */
export function consequenceFor(
  { before, after }: PolicyChange,
  request: PolicyReviewRequest,
  { reviewer, waivers }: { readonly reviewer: RuleReviewer; readonly waivers: readonly ActiveWaiver[] },
): DocumentConsequence | undefined {
  const worst = (rule: CataloguedPolicy | undefined): PolicyViolation | undefined => {
    if (!rule || !matches(rule.policy.spec, request)) return undefined;
    const { results } = reviewer.reviewInDetail(request, { policies: [rule], waivers });
    return worstOf(results.flatMap(({ violations }) => violations));
  };
  const [was, will] = [worst(before), worst(after)];
  const [standing, next] = [standingOf(was), standingOf(will)];
  if (standing === next) return undefined;
  if (will && next === 'denied') return { kind: 'newlyDenied', violation: will };
  if (will && next === 'warned') return { kind: 'newlyWarned', violation: will };
  return was && { kind: 'noLonger', violation: was };
}

function standingOf(violation: PolicyViolation | undefined): 'denied' | 'warned' | 'fine' {
  if (!violation || violation.effect === 'record') return 'fine';
  return violation.effect === 'deny' ? 'denied' : 'warned';
}

function isAbout({ match: { projects, excludeProjects = [] } }: PolicySpec, project: string): boolean {
  const isNamed = projects === undefined || projects.some((pattern) => fits(pattern, project));
  return isNamed && !excludeProjects.some((pattern) => fits(pattern, project));
}

function worstOf(violations: readonly PolicyViolation[]): PolicyViolation | undefined {
  return [...violations].sort((left, right) => RANK[left.effect] - RANK[right.effect])[0];
}
