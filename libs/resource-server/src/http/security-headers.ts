import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

/** A year, as browsers' preload lists ask at least. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * Headers of every answer: an API is no page, so a browser may run, frame, sniff and keep nothing of it. A page of the embedder's
 * states a policy of its own. Source: https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html
 */
export function setSecurityHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cache-control', 'no-cache, private');
  if (request.socket instanceof TLSSocket) response.setHeader('strict-transport-security', STRICT_TRANSPORT);
}
