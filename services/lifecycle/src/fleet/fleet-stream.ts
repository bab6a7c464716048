import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@crate/errors';
import type { FleetIndex } from './fleet-index.js';
import type { Visible } from './fleet-access.js';
import type { FleetPages, PageLine, PageMark } from './fleet-pages.js';
import type { FleetQuery } from './fleet-query.js';

const BEAT_MS = 20_000;
const BEAT = Buffer.from('{"type":"BEAT"}\n');
/** Who may see what is looked at this often when no cluster changes. */
const LOOK_AGAIN_MS = 5_000;
/** A reader that has taken nothing for this long is let go. */
const STALLED_AFTER_MS = 60_000;

export interface FleetStream {
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly index: FleetIndex;
  readonly pages: FleetPages;
  readonly query: FleetQuery;
  /** Asked before every page: who may see what changes while a watch goes on. */
  readonly visible: () => Promise<Visible>;
  /** Told of readers that are let go, and of what ends a watch. */
  readonly onError: (error: unknown) => void;
  readonly stalledAfterMs?: number;
  readonly beatMs?: number;
}

/**
 * Sends the page, and again whenever something on it changed, until the reader goes or the signal aborts. A page is made when its reader
 * has taken the one before, from what is then: nothing piles up for whoever reads slowly.
 */
export async function streamFleet(stream: FleetStream): Promise<void> {
  const { response, signal, index, pages, beatMs = BEAT_MS } = stream;
  let sent = await sendFirst(stream);
  while (sent.isTaken && !signal.aborted) {
    await pause(pages.restMs, signal);
    const beatInMs = sent.atMs + beatMs - performance.now();
    await changed(index, sent.version, { timeoutMs: Math.min(LOOK_AGAIN_MS, beatInMs), signal });
    if (!signal.aborted) sent = await sendNext(stream, sent, beatInMs <= 0);
  }
  if (sent.isTaken) response.end();
}

/** All that is remembered of what was sent: a watch that waits holds no page. */
interface Sent extends PageMark {
  readonly atMs: number;
  /** False: the reader is gone, or does not read. */
  readonly isTaken: boolean;
}

async function sendFirst(stream: FleetStream): Promise<Sent> {
  // Before the headers, so that a refusal is a Status.
  const { digest, version, line } = await currentPage(stream);
  stream.response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    // Proxies that gather what they pass on would hold pages back.
    'x-accel-buffering': 'no',
  });
  stream.response.flushHeaders();
  const isTaken = await send(stream, line);
  return { digest, version, isTaken, atMs: performance.now() };
}

async function sendNext(stream: FleetStream, sent: Sent, isBeatDue: boolean): Promise<Sent> {
  const next = await pageIfKnown(stream);
  // Without a page nobody knows that the last one still holds, so there is no beat either.
  if (!next) return sent;
  const { digest, version } = next;
  const line = lineAfter(sent, next, isBeatDue);
  if (line === undefined) return { ...sent, version };
  const isTaken = await send(stream, line);
  return { digest, version, isTaken, atMs: performance.now() };
}

/** What is to be sent when the page is `next` now; undefined: nothing. */
function lineAfter(shown: PageMark, next: PageLine, isBeatDue: boolean): Buffer | undefined {
  if (next.digest !== shown.digest) return next.line;
  return isBeatDue ? BEAT : undefined;
}

async function currentPage({ pages, query, visible }: FleetStream): Promise<PageLine> {
  return pages.lineOf(query, await visible());
}

/** Undefined while the index, or who belongs to which Project, is not known. */
async function pageIfKnown(stream: FleetStream): Promise<PageLine | undefined> {
  try {
    return await currentPage(stream);
  } catch (error) {
    if (hasCode(error, 'Unavailable')) return undefined;
    throw error;
  }
}

/** False when the reader does not read: then its connection is cut, because what it has not taken would never be. */
async function send(stream: FleetStream, line: Buffer): Promise<boolean> {
  const { response, signal, onError, stalledAfterMs = STALLED_AFTER_MS } = stream;
  if (response.write(line)) return true;
  const stalled = AbortSignal.timeout(stalledAfterMs);
  await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) }).catch(() => undefined);
  if (signal.aborted || !stalled.aborted) return true;
  onError(new Error('The reader of a watch of the fleet stopped reading'));
  response.destroy();
  return false;
}

/** Returns when the index is at another version, or after the time. */
async function changed(
  index: FleetIndex,
  version: number,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  if (index.version !== version || signal.aborted || timeoutMs <= 0) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    const forget = index.onChange(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
