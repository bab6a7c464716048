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

/** Tells of changes once they are committed, by whomever; a resource store does. */
export interface ChangeNews {
  /** Returns a function that stops it. */
  onChange(listener: (changed: readonly { readonly uid: string }[]) => void): () => void;
}

interface Look {
  readonly uid: string;
  /** Never throws. */
  readonly now: () => void;
}

/** In case news got lost, or a look at it failed. */
const LOOK_EVERY_MS = 10_000;

/** Notices that an object is to be deleted while a pass works on it, or waits for its turn, for minutes. */
export class DeletionWatch<T extends KubeObject> {
  private readonly looks = new Set<Look>();
  private deafen: (() => void) | undefined;

  constructor(
    private readonly client: FindingClient<T>,
    private readonly news: ChangeNews,
    /** What else the work is not worth finishing for, such as another spec. */
    private readonly isOvertaken: (found: T, started: T) => boolean = () => false,
  ) {}

  /** Looks until stopped, at once and whenever the object changes. One that is gone, or whose name another one bears now, counts as to be deleted. */
  start(started: T, parent: AbortSignal): RunningDeletionWatch {
    const { metadata } = started;
    const requested = new AbortController();
    const look = async (): Promise<void> => {
      const found = await this.client.find(metadata.name, metadata.namespace);
      const isOther = !found || found.metadata.uid !== metadata.uid || found.metadata.deletionTimestamp !== undefined;
      if (isOther || this.isOvertaken(found, started)) requested.abort();
    };
    const isRequested = (): boolean => requested.signal.aborted;
    return {
      signal: AbortSignal.any([parent, requested.signal]),
      isRequested,
      look: () => look().then(isRequested),
      stop: this.repeat({ uid: metadata.uid, now: () => void look().catch(() => undefined) }),
    };
  }

  /** Looks now, as nobody was told of what changed since the object was read, and again. Returns a function that stops it. */
  private repeat(look: Look): () => void {
    this.looks.add(look);
    this.deafen ??= this.listen();
    look.now();
    return () => {
      if (!this.looks.delete(look) || this.looks.size > 0) return;
      this.deafen?.();
      this.deafen = undefined;
    };
  }

  /** One timer for all: what is looked at together is read together. */
  private listen(): () => void {
    const forget = this.news.onChange((changed) => {
      const uids = new Set(changed.map(({ uid }) => uid));
      for (const look of this.looks) if (uids.has(look.uid)) look.now();
    });
    const timer = setInterval(() => {
      for (const look of this.looks) look.now();
    }, LOOK_EVERY_MS);
    return () => {
      forget();
      clearInterval(timer);
    };
  }
}
