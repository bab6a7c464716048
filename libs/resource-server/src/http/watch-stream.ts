import type { WatchEvent } from '@crate/api';
import { unavailable } from '@crate/errors';
import { currentContext } from '@crate/telemetry';
import type { ServerResponse } from 'node:http';
import { eventLine } from './event-line.js';
import { statusOf } from './protocol-error.js';
import { withTraceId } from './request-span.js';
import { cutOff } from './response-state.js';
import { isTaken } from './taken.js';

export interface WatchStream {
  readonly response: ServerResponse;
  readonly events: AsyncIterable<WatchEvent>;
  readonly signal: AbortSignal;
  readonly show: (event: WatchEvent) => unknown;
  /** Told of failures that reach the client as an ERROR event, and of clients let go. */
  readonly onError: (error: unknown) => void;
  /** A client that has taken nothing for this long is let go; it comes back from where it was. Default: 60,000. */
  readonly stalledAfterMs?: number;
}

/**
 * Sends events as one JSON document a line, in chunks, until they end, the client goes or the signal aborts.
 * The next event is taken only once the client has taken the one before: nothing piles up here.
 */
export async function streamWatch(stream: WatchStream): Promise<void> {
  const { response, events, signal, show, onError } = stream;
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  // Clients wait for the headers before they trust that the watch stands.
  response.flushHeaders();
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      if (!(await writeLine(stream, show(event)))) return letGo(stream);
    }
  } catch (error) {
    if (!signal.aborted) {
      onError(error);
      await writeLine(stream, { type: 'ERROR', object: withTraceId(statusOf(error), currentContext().traceId) });
    }
  }
  response.end();
}

/** False when the client does not read. */
async function writeLine({ response, signal, stalledAfterMs }: WatchStream, line: unknown): Promise<boolean> {
  return response.write(eventLine(line)) || isTaken(response, signal, stalledAfterMs);
}

/** What is still buffered would never be taken, so the connection is cut rather than ended. */
function letGo({ response, onError }: WatchStream): void {
  onError(unavailable('The client of a watch stopped reading'));
  cutOff(response);
}
