import type { KubeObject } from '@crate/api';
import type { FindingClient } from './finding-client.js';

/** A running look-out for the deletion of one object. */
export interface RunningDeletionWatch {
  /** Fires when the deletion is requested, or with the signal it was started under. */
  readonly signal: AbortSignal;
  readonly isRequested: () => boolean;
  /** Looks now; true when it is requested. */
  readonly look: () => Promise<boolean>;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 2_000;

/** Notices that an object is to be deleted while a pass works on it, or waits for its turn, for minutes. */
export class DeletionWatch<T extends KubeObject> {
  constructor(
    private readonly client: FindingClient<T>,
    private readonly lookEveryMs = LOOK_EVERY_MS,
    /** What else the work is not worth finishing for, such as another spec. */
    private readonly isOvertaken: (found: T, started: T) => boolean = () => false,
  ) {}

  /** Looks until stopped. An object that is gone, or whose name another one bears now, counts as to be deleted. */
  start(started: T, parent: AbortSignal): RunningDeletionWatch {
    const { metadata } = started;
    const requested = new AbortController();
    const look = async (): Promise<void> => {
      const found = await this.client.find(metadata.name, metadata.namespace);
      const isOther = !found || found.metadata.uid !== metadata.uid || found.metadata.deletionTimestamp !== undefined;
      if (isOther || this.isOvertaken(found, started)) requested.abort();
    };
    const isRequested = (): boolean => requested.signal.aborted;
    // A look that fails is made again.
    const timer = setInterval(() => void look().catch(() => undefined), this.lookEveryMs);
    return {
      signal: AbortSignal.any([parent, requested.signal]),
      isRequested,
      look: () => look().then(isRequested),
      stop: () => clearInterval(timer),
    };
  }
}
