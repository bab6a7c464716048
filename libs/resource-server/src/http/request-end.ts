import { timeout } from '@crate/errors';
import type { ResourceRouter } from '@crate/resource-client';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { flag, wantsWatch } from './exchange.js';
import { parseResourcePath } from './request-path.js';

/** How long a request may take, unless it is one that goes on for as long as the client likes. */
export const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Whether a request follows something for as long as the client likes: a watch of a resource, or a log. `follow` says nothing
 * elsewhere, or a list of everything could go without a deadline, and past the limits for lists.
 */
export function isFollowing(router: ResourceRouter, method: string, path: string, query: URLSearchParams): boolean {
  const target = method === 'GET' ? parseResourcePath(path) : undefined;
  if (!target || wantsWatch(query, target)) return target !== undefined;
  if (!flag(query, 'follow')) return false;
  const kind = router.find(target.group, target.version, target.plural)?.kind;
  return kind?.subresources.find(({ name }) => name === target.subresource)?.isLog ?? false;
}

/** The requests at hand of one server, each with a signal that fires when its answer is of no use any more. */
export class OpenRequests {
  private readonly open = new Set<AbortController>();
  private readonly following = new Set<AbortController>();
  private isClosed = false;
  private isLeaving = false;

  /**
   * Fires when the client is gone, when the server closes, or at the deadline (milliseconds from now). One without a deadline follows
   * something, and ends when the server is about to close.
   */
  begin(request: IncomingMessage, response: ServerResponse, deadlineMs?: number): AbortSignal {
    const end = new AbortController();
    this.open.add(end);
    if (deadlineMs === undefined) this.following.add(end);
    const timer = deadlineMs === undefined ? undefined : setTimeout(() => end.abort(tooLate(request)), deadlineMs);
    timer?.unref();
    response.once('close', () => {
      clearTimeout(timer);
      this.open.delete(end);
      this.following.delete(end);
      end.abort();
    });
    if (this.isClosed || (this.isLeaving && deadlineMs === undefined)) end.abort();
    return end.signal;
  }

  /** Ends what goes on for as long as the client likes, now and from now on; all else is answered. */
  endFollowing(): void {
    this.isLeaving = true;
    for (const end of this.following) end.abort();
  }

  /** Ends all that is open; what begins later is ended at once. */
  close(): void {
    this.isClosed = true;
    for (const end of this.open) end.abort();
  }
}

/** Rejects at the deadline, with work going on that nobody waits for; other ends are for the work to notice. */
export async function beforeDeadline(signal: AbortSignal, work: Promise<void>): Promise<void> {
  let onAbort: () => void = () => undefined;
  const deadline = new Promise<never>((_, reject) => {
    onAbort = () => {
      const reason: unknown = signal.reason;
      if (isDeadline(reason)) reject(reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

const deadlines = new WeakSet<object>();

function isDeadline(reason: unknown): reason is Error {
  return typeof reason === 'object' && reason !== null && deadlines.has(reason);
}

function tooLate({ method }: IncomingMessage): Error {
  const isRead = method === 'GET' || method === 'HEAD';
  const error = isRead
    ? timeout('The request took too long, try again')
    : timeout(
        'The request took too long, and whether it was carried out is unknown: read the object before trying again',
      );
  deadlines.add(error);
  return error;
}
