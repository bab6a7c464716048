import type { IncomingMessage } from 'node:http';

/** What a request asks for: escapes of the path are left as they were sent. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Leads nowhere. */
const NOWHERE = '/-';
/** A segment of one or two dots, escaped or not: whoever resolves it takes the path of a thing for that of what holds it. */
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Read as it was sent, with nothing resolved, so that all who look at it see the same. The host is of no matter. Never throws. */
export function requestTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): RequestTarget {
  const [path = '', ...query] = url.split('?');
  const isPath = path.startsWith('/') && !path.startsWith('//') && !DOTS.test(path);
  return { path: isPath ? path : NOWHERE, query: new URLSearchParams(query.join('?')) };
}
