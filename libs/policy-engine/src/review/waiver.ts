import type { PolicyReviewRequest, PolicyViolation } from '@crate/api';
import { fits } from './match.js';

/** A waiver that is in force. */
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
}

/** What of a violation and its request waivers look at. */
export interface WaivableViolation {
  readonly violation: Pick<PolicyViolation, 'policy' | 'field'>;
  readonly subject: PolicyReviewRequest['subject'];
  readonly nowMs: number;
}

/** The waiver that covers a violation, if one does: of the same Project, not expired, and naming rule, cluster and field. */
export function waiverFor(
  waivers: readonly ActiveWaiver[],
  { violation, subject, nowMs }: WaivableViolation,
): ActiveWaiver | undefined {
  const cluster = subject.cluster ?? subject.name;
  return waivers.find(
    (waiver) =>
      waiver.namespace === subject.namespace &&
      nowMs < waiver.expiresAtMs &&
      waiver.policies.some((pattern) => fits(pattern, violation.policy)) &&
      (waiver.clusters === undefined || waiver.clusters.some((pattern) => fits(pattern, cluster))) &&
      (waiver.fields === undefined || waiver.fields.some((pattern) => fits(pattern, violation.field))),
  );
}
