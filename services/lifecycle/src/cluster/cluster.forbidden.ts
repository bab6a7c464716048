import { CLUSTER } from '@crate/api';
import { PlatformError, type ErrorCause, type ErrorDetails } from '@crate/errors';

/**
 * The refusal of a cluster whose document is well-formed and that a rule, or the state of the world, keeps from being so: what its
 * Project allows, a constraint of its class, its ceiling, an account that is being deleted. A 403 that names each field, as Kubernetes' own admission answers, and neither a 422 nor a 409: those are what
 * `kubectl apply --force` and Flux's `force` take for a field that cannot change, upon which they delete the cluster and make another.
 * Flux goes by the words "is immutable", too; `toStatus` lets none of them out with a 403.
 */
export function forbiddenCluster(
  name: string,
  causes: readonly ErrorCause[],
  details: Pick<ErrorDetails, 'reason' | 'remedy'> = {},
): PlatformError {
  const { group, plural } = CLUSTER;
  const { reason, remedy } = details;
  const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const [first] = causes;
  // What has causes says its reason over the API by one of them alone.
  const told = reason === undefined ? [] : [{ reason, message: remedy ?? '' }];
  return new PlatformError(
    'Forbidden',
    `${plural}.${group} "${name}" is forbidden: ${text}${remedy === undefined ? '' : `. ${remedy}`}`,
    {
      // The document has to change, or the rule.
      retry: 'never',
      details: {
        ...{ group, kind: plural, name },
        ...details,
        ...(first?.field === undefined ? {} : { field: first.field }),
        causes: [...causes, ...told],
      },
    },
  );
}
