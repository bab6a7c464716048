import type { PolicyReviewer } from '@crate/messaging';
import type { ClusterEngine } from './engine/cluster-engine.js';
import type { AdminBinding } from './kubernetes-cluster/admin-binding.js';
import type { SharedClock } from './shared-clock.js';
import type { ClusterConnections } from './target/cluster-connections.js';
import type { WakeUp } from './wake-up.js';

/** What both reconcilers stand on. */
export interface SharedParts {
  readonly connections: ClusterConnections;
  readonly admins: AdminBinding;
  readonly engine: ClusterEngine;
  readonly wakeUp: WakeUp;
  readonly policies: PolicyReviewer;
  readonly sharedClock: SharedClock;
}
