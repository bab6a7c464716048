import { setTimeout as delay } from 'node:timers/promises';
import type { KindDefinition, KubeObject, WatchEvent } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** Revision of an owner that never stored anything: whatever comes next comes in no order of change. */
const NOTHING_YET = '0';

/** What happened to an object that is told of. */
export type ForeignChange = Exclude<WatchEvent['type'], 'BOOKMARK'>;

export interface ForeignWatchOptions {
  readonly kind: KindDefinition;
  readonly client: TypedClient<KubeObject>;
  /** Told at least once of every change; what it throws has it told again. */
  readonly onObject: (object: KubeObject, type: ForeignChange) => Promise<void>;
  readonly logger: Logger;
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

async function follow({ client, onObject, signal }: ForeignWatchOptions, position: Position): Promise<void> {
  const from = position.revision;
  const start = from === undefined ? { sendInitialEvents: true } : { resourceVersion: from };
  for await (const { type, object } of client.watch({ ...start, allowBookmarks: true }, signal)) {
    const { resourceVersion } = object.metadata;
    if (type !== 'BOOKMARK') await onObject(object, type);
    // What exists comes in no order of change, so only the bookmark behind it says where to go on.
    const isKnown = type === 'BOOKMARK' ? resourceVersion !== NOTHING_YET : position.revision !== undefined;
    if (isKnown) position.revision = resourceVersion;
  }
}
