import {
  formatApiVersion,
  type PolicyReportOutcome,
  type PolicyReportSummary,
  type PolicyRuleResult,
  type PolicySeverity,
  type PolicyViolation,
} from '@crate/api';
import { kindOf } from '@crate/policy-engine';
import type { RememberedDocument } from '../memory/remembered-document.js';

/** Findings that are told one by one; the rest is told as a number. */
export const MOST_FINDINGS = 300;

/** By outcome: of one rule how many documents, of a framework how many rules. */
export type Counts = PolicyReportSummary;

export const NO_COUNTS: Counts = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };

/** Whose document it is. */
export interface AssessedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent of what has none within its cluster. */
  readonly namespace?: string;
  readonly name: string;
}

/** One thing that a rule objects to in one document. */
export interface Finding extends PolicyViolation {
  readonly outcome: Exclude<PolicyReportOutcome, 'pass'>;
  readonly stage: string;
  readonly object: AssessedObject;
}

/** What all rules say of all documents of one cluster. */
export interface Assessment {
  readonly documents: number;
  /** Of each rule that was about a document: how many documents it came to what with. */
  readonly rules: ReadonlyMap<string, Counts>;
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly summary: Counts;
  /** How many by level and effect, such as `must/deny`. */
  readonly violations: Readonly<Record<string, number>>;
}

const SEVERITIES: readonly PolicySeverity[] = ['critical', 'high', 'medium', 'low', 'info'];
const OUTCOMES: readonly PolicyReportOutcome[] = ['fail', 'error', 'warn', 'skip', 'pass'];

/** Gathers results of documents one after the other; holds a bounded number of findings, whatever there is. */
export class AssessmentBuilder {
  private documents = 0;
  private readonly rules = new Map<string, Counts>();
  private findings: Finding[] = [];
  private readonly found = { ...NO_COUNTS };
  private readonly violations: Record<string, number> = {};

  add(document: RememberedDocument, results: readonly PolicyRuleResult[]): void {
    this.documents += 1;
    for (const result of results) {
      // A rule whose conditions were not met has said nothing.
      if (result.result === 'skip') continue;
      const findings = result.violations.map((violation) => findingOf(violation, result, document));
      this.count(result.policy, worstOf(findings.map(({ outcome }) => outcome)));
      for (const { outcome, level, effect } of findings) {
        this.found[outcome] += 1;
        const kind = `${level}/${effect}`;
        this.violations[kind] = (this.violations[kind] ?? 0) + 1;
      }
      this.findings.push(...findings);
    }
    if (this.findings.length > 2 * MOST_FINDINGS) this.keepWorst();
  }

  finish(): Assessment {
    this.keepWorst();
    const pass = [...this.rules.values()].filter((counts) => statusOf(counts) === 'pass').length;
    return {
      documents: this.documents,
      rules: new Map([...this.rules].sort(([left], [right]) => (left < right ? -1 : 1))),
      findings: this.findings,
      summary: { ...this.found, pass },
      violations: this.violations,
    };
  }

  private count(policy: string, outcome: PolicyReportOutcome): void {
    const counts = this.rules.get(policy) ?? NO_COUNTS;
    this.rules.set(policy, { ...counts, [outcome]: counts[outcome] + 1 });
  }

  private keepWorst(): void {
    this.findings = this.findings.sort(worstFirst).slice(0, MOST_FINDINGS);
  }
}

/** How a rule stands: the worst of what it came to. */
export function statusOf(counts: Counts): PolicyReportOutcome {
  return OUTCOMES.find((outcome) => counts[outcome] > 0) ?? 'pass';
}

export function addCounts(left: Counts, right: Counts): Counts {
  return {
    pass: left.pass + right.pass,
    fail: left.fail + right.fail,
    warn: left.warn + right.warn,
    error: left.error + right.error,
    skip: left.skip + right.skip,
  };
}

function worstOf(outcomes: readonly PolicyReportOutcome[]): PolicyReportOutcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'pass';
}

/** A waived violation is skipped; what only a trial of the rule objects to stands as it would, and is not scored. */
function findingOf(violation: PolicyViolation, { result }: PolicyRuleResult, document: RememberedDocument): Finding {
  const { key, request } = document;
  const broken = violation.level === 'must' ? 'fail' : 'warn';
  const outcome = violation.waiver !== undefined ? 'skip' : result === 'error' ? 'error' : broken;
  return { ...violation, outcome, stage: key.stage, object: objectOf(request) };
}

function objectOf(request: RememberedDocument['request']): AssessedObject {
  const { group, version, kind } = kindOf(request);
  const { stage, subject, document } = request;
  const { metadata } = (document ?? {}) as { readonly metadata?: { readonly namespace?: unknown } };
  const inner = typeof metadata?.namespace === 'string' ? { namespace: metadata.namespace } : {};
  const namespace = stage === 'Manifest' ? inner : { namespace: subject.namespace };
  return { apiVersion: formatApiVersion(group, version), kind, ...namespace, name: subject.name };
}

function worstFirst(left: Finding, right: Finding): number {
  return (
    OUTCOMES.indexOf(left.outcome) - OUTCOMES.indexOf(right.outcome) ||
    SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity) ||
    compare(identityOf(left), identityOf(right))
  );
}

function identityOf({ policy, object, field, message }: Finding): string {
  return [policy, object.kind, object.namespace ?? '', object.name, field, message].join('\n');
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
