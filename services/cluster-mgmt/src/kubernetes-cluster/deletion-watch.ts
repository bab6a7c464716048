import type { KubernetesCluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** A running look-out for the deletion of one cluster. */
export interface RunningDeletionWatch {
  /** Fires when the deletion is requested, or with the signal it was started under. */
  readonly signal: AbortSignal;
  readonly isRequested: () => boolean;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 2000;

/** Notices that a cluster is to be deleted while an engine works on it for minutes. */
export class DeletionWatch {
  constructor(
    private readonly clusters: TypedClient<KubernetesCluster>,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  start({ metadata }: KubernetesCluster, parent: AbortSignal): RunningDeletionWatch {
    const requested = new AbortController();
    const look = async (): Promise<void> => {
      const found = await this.clusters.find(metadata.name, metadata.namespace);
      if (!found || found.metadata.uid !== metadata.uid || found.metadata.deletionTimestamp) requested.abort();
    };
    // A look that fails is made again.
    const timer = setInterval(() => void look().catch(() => undefined), this.lookEveryMs);
    return {
      signal: AbortSignal.any([parent, requested.signal]),
      isRequested: () => requested.signal.aborted,
      stop: () => clearInterval(timer),
    };
  }
}
