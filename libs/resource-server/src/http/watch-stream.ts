import type { WatchEvent } from '@crate/api';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { statusOf } from './protocol-error.js';

export interface WatchStream {
  readonly response: ServerResponse;
  readonly events: AsyncIterable<WatchEvent>;
  readonly signal: AbortSignal;
  readonly show: (event: WatchEvent) => unknown;
  /** Told of failures that reach the client as an ERROR event. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends events as one JSON document a line, in chunks, until they end, the client goes or the signal aborts.
 * The next event is taken only once the client has taken the one before: nothing piles up here.
 */
export async function streamWatch({ response, events, signal, show, onError }: WatchStream): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  // Clients wait for the headers before they trust that the watch stands.
  response.flushHeaders();
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      await writeLine(response, show(event), signal);
    }
  } catch (error) {
    if (!signal.aborted) {
      onError(error);
      await writeLine(response, { type: 'ERROR', object: statusOf(error) }, signal);
    }
  }
  response.end();
}

async function writeLine(response: ServerResponse, line: unknown, signal: AbortSignal): Promise<void> {
  if (response.write(`${JSON.stringify(line)}\n`)) return;
  // Rejects when the signal aborts: a client that stopped reading must not hold the watch open.
  await once(response, 'drain', { signal }).catch(() => undefined);
}
