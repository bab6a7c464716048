import type { Phase } from '@crate/reconcile';
import type { InfrastructureScope } from './infrastructure.scope.js';

/** The way there and back, as ordered lists of phases. */
export interface InfrastructurePhases {
  readonly bringUp: readonly Phase<InfrastructureScope>[];
  /** While the cluster is paused: looks, and begins nothing. */
  readonly pause: readonly Phase<InfrastructureScope>[];
  readonly tearDown: readonly Phase<InfrastructureScope>[];
}
