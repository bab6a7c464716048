import type { Cluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { ClusterScope } from '../cluster.scope.js';
import type { PolicyReviewer } from '../policy-reviewer.js';

/** Judges the spec anew on every pass, because rules change while clusters live. */
export class PolicyPhase {
  constructor(private readonly policies: PolicyReviewer) {}

  /** Throws Forbidden when a `must` rule is broken, Unavailable while policy-mgmt does not answer. */
  readonly run = async (scope: ClusterScope, context: ReconcileContext): Promise<Outcome> => {
    scope.review = await this.policies.review(scope.cluster, context);
    const denial = denialOf(scope.cluster, scope.review);
    if (denial) throw denial;
    return settled;
  };
}

/** The refusal a person sees, naming rule, level, field and remedy of each broken `must` rule; undefined when allowed. */
export function denialOf(
  cluster: Pick<Cluster, 'metadata'>,
  review: NonNullable<ClusterScope['review']>,
): PlatformError | undefined {
  if (review.allowed) return undefined;
  const broken = review.violations.filter((violation) => violation.level === 'must');
  const causes = broken.map((violation) => ({
    reason: 'PolicyViolation',
    field: violation.field,
    message: `${violation.message} (policy ${violation.policy}, level ${violation.level}): ${violation.remedy}`,
  }));
  const summary = causes.map((cause) => `${cause.field}: ${cause.message}`).join('; ');
  const first = broken[0];
  return new PlatformError('Forbidden', `Cluster "${cluster.metadata.name}" is denied by policy: ${summary}`, {
    retry: 'never',
    details: {
      kind: 'clusters',
      group: 'lifecycle.crate.dev',
      name: cluster.metadata.name,
      reason: 'PolicyDenied',
      causes,
      ...(first ? { field: first.field, remedy: first.remedy } : {}),
    },
  });
}
