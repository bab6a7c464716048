import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@crate/errors';
import type { LogChunk } from '@crate/resource-client';
import { flag } from '../exchange.js';
import { cutOff } from '../response-state.js';
import { isTaken } from '../taken.js';
import { logQuery } from './log-options.js';
import { refOf, type Target } from './target.js';

/** How long the owner waits for something new before it says that there is nothing. */
const WAIT_MS = 15_000;
/** An owner that restarts is asked again this often and so long, before the follower is sent away. */
const RETRY_EVERY_MS = 1_000;
const RETRIES = 30;

/**
 * `GET` of a subresource that is a log: plain text, in chunks. With `follow=true` until nothing more is to come, the object is
 * gone or the client is. The next part is asked for once the client has taken the one before: nothing piles up here.
 * A follower who is sent away before, as when a token has ended or this server leaves, is cut off: ended, the log would look complete.
 */
export async function streamLog(target: Target): Promise<void> {
  const { exchange } = target;
  const { query, response, context } = exchange;
  const isFollowing = flag(query, 'follow');
  const read = reader(target);
  // Before the headers, so that a refusal is a Status.
  let chunk = await read(undefined, 0);
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    // Proxies that gather what they pass on would hold lines back.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  for (;;) {
    if (!(await write(response, chunk.text, context.signal))) return cutOff(response);
    if (chunk.isComplete || (!isFollowing && chunk.text === '')) break;
    const next = await readOn(() => read(chunk.cursor, isFollowing ? WAIT_MS : 0), context.signal);
    if (context.signal.aborted) return cutOff(response);
    if (!next) break;
    chunk = next;
  }
  response.end();
}

type Read = (cursor: string | undefined, waitMs: number) => Promise<LogChunk>;

function reader({ exchange, path, route }: Target): Read {
  const { subresource = '' } = path;
  const query = logQuery(exchange.query, new Date());
  return (cursor, waitMs) => {
    const from = cursor === undefined ? {} : { cursor };
    return route.api.readLog(refOf(path), subresource, { query, ...from, waitMs }, exchange.context);
  };
}

/** Undefined when there is nobody to read for any more, or nothing to be read. */
async function readOn(read: () => Promise<LogChunk>, signal: AbortSignal): Promise<LogChunk | undefined> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || hasCode(error, 'NotFound')) return undefined;
      if (attempt >= RETRIES || !hasCode(error, 'Unavailable', 'Timeout')) throw error;
      await delay(RETRY_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** False when the client does not read. */
async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<boolean> {
  return text === '' || response.write(text) || isTaken(response, signal);
}
