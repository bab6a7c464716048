import {
  EXISTING,
  type GroupVersionKind,
  type LabelSelector,
  type PolicyReviewRequest,
  type PolicySpec,
} from '@crate/api';
import { kindOf } from '../document/subject-kind.js';

/** Whether a rule is about what a request asks. Its conditions are judged elsewhere. */
export function matches({ match }: PolicySpec, request: PolicyReviewRequest): boolean {
  const { subject, operation = 'UPDATE' } = request;
  const { stages, operations = ['CREATE', 'UPDATE'], labels, kinds } = match;
  return (
    stages.includes(request.stage) &&
    operations.includes(operation) &&
    isInProject(match, subject.namespace) &&
    names(match.providers, subject.provider) &&
    isOfEngine(match, request) &&
    (kinds === undefined || kinds.some((pattern) => fitsKind(pattern, kindOf(request)))) &&
    (labels === undefined || selects(labels, labelsOf(request)))
  );
}

function isOfEngine({ engines }: PolicySpec['match'], request: PolicyReviewRequest): boolean {
  if (engines === undefined) return !saysNothingOfMachines(request);
  return names(engines, request.subject.engine);
}

/**
 * The spec of a cluster that was there before Crate has neither machines nor networks nor a version, which rules about specs look at:
 * one that is meant for it names it among its engines.
 */
export function saysNothingOfMachines({ stage, subject }: PolicyReviewRequest): boolean {
  return stage === 'ClusterSpec' && subject.engine === EXISTING;
}

function isInProject({ projects, excludeProjects = [] }: PolicySpec['match'], project: string): boolean {
  return names(projects, project) && !excludeProjects.some((pattern) => fits(pattern, project));
}

/** Whether a name is what a pattern says; `*` stands for any part of it. Takes no longer for a pattern that is made to. */
export function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  // The first place where a part fits leaves the most room for those behind it.
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Who did not say what it is, is not left out: a rule about aws holds where nobody says which cloud it is. */
function names(patterns: readonly string[] | undefined, name: string | undefined): boolean {
  return patterns === undefined || name === undefined || patterns.some((pattern) => fits(pattern, name));
}

function fitsKind(pattern: string, { group, kind }: GroupVersionKind): boolean {
  const slash = pattern.indexOf('/');
  if (slash < 0) return fits(pattern, kind);
  return fits(pattern.slice(0, slash), group) && fits(pattern.slice(slash + 1), kind);
}

/** What the cluster and the object say, of which either may be what a selector asks for. */
interface Labels {
  readonly ofCluster: Readonly<Record<string, string>>;
  readonly ofObject: Readonly<Record<string, string>>;
}

function labelsOf({ subject, document }: PolicyReviewRequest): Labels {
  const { metadata } = (document ?? {}) as { readonly metadata?: { readonly labels?: Record<string, string> } };
  return { ofCluster: subject.labels ?? {}, ofObject: metadata?.labels ?? {} };
}

/** Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements */
function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  const hasAll = Object.entries(matchLabels).every(([key, value]) => valuesOf(key, labels).includes(value));
  return (
    hasAll && matchExpressions.every(({ key, operator, values = [] }) => meets(operator, values, valuesOf(key, labels)))
  );
}

/** That of the cluster first: what an object says of itself takes no rule off that is about its cluster. */
function valuesOf(key: string, { ofCluster, ofObject }: Labels): readonly string[] {
  return [ofCluster[key], ofObject[key]].filter((value) => value !== undefined);
}

function meets(operator: string, values: readonly string[], found: readonly string[]): boolean {
  const [first] = found;
  switch (operator) {
    case 'In':
      return found.some((value) => values.includes(value));
    case 'NotIn':
      return first === undefined || !values.includes(first);
    case 'Exists':
      return first !== undefined;
    default:
      return first === undefined;
  }
}
