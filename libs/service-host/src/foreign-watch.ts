import { setTimeout as delay } from 'node:timers/promises';
import type { KindDefinition, KubeObject } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';

const RETRY_MS = 1_000;
const RETRY_JITTER_MS = 1_000;

export interface ForeignWatchOptions {
  readonly kind: KindDefinition;
  readonly client: TypedClient<KubeObject>;
  readonly onObject: (object: KubeObject) => Promise<void>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Follows a kind that this service does not own: first everything that exists, then every change, for ever.
 * Goes on from where it was after an outage, and starts over when the owner has forgotten that revision.
 */
export async function followForeignKind(options: ForeignWatchOptions): Promise<void> {
  const { client, kind, logger, signal } = options;
  let revision: string | undefined;
  while (!signal.aborted) {
    try {
      const events = client.watch(revision === undefined ? {} : { resourceVersion: revision }, signal);
      for await (const event of events) {
        revision = event.object.metadata.resourceVersion;
        if (event.type !== 'BOOKMARK') await options.onObject(event.object);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, 'Gone')) revision = undefined;
      else logger.debug('Watching again after an error', { error, kind: kind.kind });
    }
    const pauseMs = RETRY_MS + Math.random() * RETRY_JITTER_MS;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
