import { setTimeout as delay } from 'node:timers/promises';
import type { KindDefinition, KubeObject, WatchEvent } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** Revision of an owner that never stored anything: whatever comes next comes in no order of change. */
const NOTHING_YET = '0';

/** So many of the objects that exist already are told of at once: after a start there may be tens of thousands. */
const AT_A_TIME = 32;

/** What happened to an object that is told of. */
export type ForeignChange = Exclude<WatchEvent['type'], 'BOOKMARK'>;

export interface ForeignWatchOptions {
  readonly kind: KindDefinition;
  readonly client: TypedClient<KubeObject>;
  /** Told at least once of every change, in order, and at first of several objects at once; what it throws has it told again. */
  readonly onObject: (object: KubeObject, type: ForeignChange) => Promise<void>;
  readonly logger: Logger;
  /** Ends the watch, and nothing else does. */
  readonly signal: AbortSignal;
}

/** How far a watch has come; undefined while what exists was not seen in full. */
interface Position {
  revision?: string;
}

/**
 * Follows a kind that this service does not own: first everything that exists, then every change, for ever.
 * Goes on from where it was after an outage, and starts over when the owner has forgotten that revision.
 */
export async function followForeignKind(options: ForeignWatchOptions): Promise<void> {
  const { kind, logger, signal } = options;
  const position: Position = {};
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const before = position.revision;
    try {
      await follow(options, position);
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, 'Gone')) delete position.revision;
      else logger.warn('Watching again after an error', { error, kind: kind.kind });
    }
    pauseMs = position.revision === before ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }
}

async function follow(options: ForeignWatchOptions, position: Position): Promise<void> {
  const existing = new Several();
  try {
    await followWith(existing, options, position);
  } finally {
    // Whoever watches again must not be overtaken by what is still under way.
    await existing.end();
  }
}

async function followWith(
  existing: Several,
  { client, onObject, signal }: ForeignWatchOptions,
  position: Position,
): Promise<void> {
  const from = position.revision;
  const start = from === undefined ? { sendInitialEvents: true } : { resourceVersion: from };
  let isBegun = from !== undefined;
  for await (const { type, object } of client.watch({ ...start, allowBookmarks: true }, signal)) {
    const { resourceVersion } = object.metadata;
    if (type !== 'BOOKMARK') await (isBegun ? onObject(object, type) : existing.add(() => onObject(object, type)));
    else if (!isBegun) isBegun = await existing.done();
    // What exists comes in no order of change, so only the bookmark behind it says where to go on.
    const isKnown = type === 'BOOKMARK' ? resourceVersion !== NOTHING_YET : position.revision !== undefined;
    if (isKnown) position.revision = resourceVersion;
  }
}

/** Does several things at once, and no more than a few. */
class Several {
  private readonly underWay = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  /** Begins it once there is room. Throws what one before it threw. */
  async add(act: () => Promise<void>): Promise<void> {
    if (this.underWay.size >= AT_A_TIME) await Promise.race(this.underWay);
    if (this.failure) throw this.failure.error;
    const one = this.follow(act);
    this.underWay.add(one);
    void one.then(() => this.underWay.delete(one));
  }

  /** True once all are done. Throws what one of them threw. */
  async done(): Promise<true> {
    await this.end();
    if (this.failure) throw this.failure.error;
    return true;
  }

  /** However they end. */
  async end(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async follow(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
