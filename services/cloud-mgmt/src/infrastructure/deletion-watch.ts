import type { Infrastructure } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** A running look-out for the deletion of one Infrastructure. */
export interface RunningDeletionWatch {
  /** Fires when the deletion is requested, or with the signal it was started under. */
  readonly signal: AbortSignal;
  readonly isRequested: () => boolean;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 2_000;

/** Notices that an Infrastructure is to be deleted while Terraform works on it, or waits for its turn, for minutes. */
export class DeletionWatch {
  constructor(
    private readonly infrastructures: TypedClient<Infrastructure>,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  start({ metadata }: Infrastructure, parent: AbortSignal): RunningDeletionWatch {
    const requested = new AbortController();
    const look = async (): Promise<void> => {
      const found = await this.infrastructures.find(metadata.name, metadata.namespace);
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
