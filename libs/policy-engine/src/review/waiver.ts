import type { PolicyReviewRequest, PolicyViolation, PolicyWaivableBy } from '@crate/api';
import { fits } from './match.js';

/** As whom a waiver was approved: what it may cover. */
export type WaiverAuthority = Exclude<PolicyWaivableBy, 'Nobody'>;

/** An approved waiver. Once it has expired it covers nothing; it then tells why a violation counts again. */
export interface ActiveWaiver {
  readonly namespace: string;
  readonly name: string;
  /** Rules by name; `aws-*` allows a family. */
  readonly policies: readonly string[];
  /** Clusters of the Project; absent: all. */
  readonly clusters?: readonly string[];
  /** Paths, as violations name them; absent: all. */
  readonly fields?: readonly string[];
  /** When it ends, in milliseconds since 1970, UTC. */
  readonly expiresAtMs: number;
  readonly authority: WaiverAuthority;
}

/** What of a violation and its request waivers look at. */
export interface WaivableViolation {
  readonly violation: Pick<PolicyViolation, 'policy' | 'field'>;
  readonly waivableBy: PolicyWaivableBy;
  readonly subject: PolicyReviewRequest['subject'];
  readonly nowMs: number;
  /** It stands for others whose fields nobody knows: only a waiver of all fields covers it. */
  readonly isRest?: boolean;
}

/**
 * The waiver that covers a violation, if one does: of the same Project, not expired, naming rule, cluster and field, and approved by
 * somebody who may waive the rule. Of several the one that lasts longest.
 */
export function waiverFor(waivers: readonly ActiveWaiver[], about: WaivableViolation): ActiveWaiver | undefined {
  return longestOf(waivers.filter((waiver) => about.nowMs < waiver.expiresAtMs && covers(waiver, about)));
}

/** The waiver that covered a violation until it expired; of several the last. */
export function expiredWaiverFor(waivers: readonly ActiveWaiver[], about: WaivableViolation): ActiveWaiver | undefined {
  return longestOf(waivers.filter((waiver) => about.nowMs >= waiver.expiresAtMs && covers(waiver, about)));
}

/** Whether somebody with this authority may have a rule waived. */
export function mayWaive(authority: WaiverAuthority, waivableBy: PolicyWaivableBy): boolean {
  return waivableBy === authority || (waivableBy === 'ProjectAdmin' && authority === 'PlatformAdmin');
}

function covers(waiver: ActiveWaiver, { violation, waivableBy, subject, isRest }: WaivableViolation): boolean {
  return (
    waiver.namespace === subject.namespace &&
    mayWaive(waiver.authority, waivableBy) &&
    waiver.policies.some((pattern) => fits(pattern, violation.policy)) &&
    names(waiver.clusters, subject.cluster ?? subject.name) &&
    (isRest ? waiver.fields === undefined : names(waiver.fields, violation.field))
  );
}

function names(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => fits(pattern, name));
}

/** By name where they end together: every replica names the same. */
function longestOf(waivers: readonly ActiveWaiver[]): ActiveWaiver | undefined {
  return waivers.toSorted(
    (left, right) => right.expiresAtMs - left.expiresAtMs || (left.name < right.name ? -1 : 1),
  )[0];
}
