import type { KubernetesStatus } from '@crate/errors';
import type { ServerResponse } from 'node:http';
import type { Negotiated } from './negotiate.js';
import { isHttp2 } from './response-state.js';
import { warningHeaders } from './warning-headers.js';
import { yamlOf, YAML_TYPES } from './yaml-text.js';

/** Writes complete responses; one per request. */
export class Responder {
  private readonly warnings: string[] = [];

  constructor(
    private readonly response: ServerResponse,
    private readonly style: { readonly format: Negotiated['format']; readonly isPretty: boolean },
  ) {}

  /** Adds `Warning` headers to what is sent later, as many as clients take. */
  warn(warnings: readonly string[]): void {
    this.warnings.push(...warnings);
  }

  /** An object as JSON or YAML. */
  object(code: number, body: unknown, contentType?: string): void {
    if (this.style.format !== 'json') return this.text(code, yamlOf(body), YAML_TYPES[this.style.format]);
    const json = `${JSON.stringify(body, undefined, this.style.isPretty ? 2 : undefined)}\n`;
    return this.text(code, json, contentType ?? 'application/json');
  }

  status(status: KubernetesStatus): void {
    const { retryAfterSeconds } = status.details ?? {};
    if (retryAfterSeconds !== undefined) this.response.setHeader('retry-after', retryAfterSeconds);
    // The rest of the body is not read, so the connection cannot be used again; over HTTP/2 only the request ends.
    if (status.code === 413 && !isHttp2(this.response)) this.response.setHeader('connection', 'close');
    if (status.code === 401) this.response.setHeader('www-authenticate', 'Bearer');
    if (this.style.format === 'text') return this.text(status.code, statusText(status), YAML_TYPES.text);
    this.object(status.code, status);
  }

  text(code: number, body: string | Uint8Array, contentType: string): void {
    if (this.warnings.length > 0) this.response.setHeader('warning', warningHeaders(this.warnings));
    this.response.writeHead(code, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      ...(this.response.hasHeader('cache-control') ? {} : { 'cache-control': 'no-cache, private' }),
    });
    this.response.end(body);
  }
}

/** A failure in a few lines, for people at a terminal who accept text. */
function statusText({ code, reason, message, details }: KubernetesStatus): string {
  const causes = (details?.causes ?? []).map(
    ({ field, message: wrong }) => `  ${field === undefined ? '' : `${field}: `}${wrong}\n`,
  );
  // Somebody who can look it up is asked only where the request is not to blame.
  const trace = code >= 500 && details?.traceId !== undefined ? `  trace ${details.traceId}\n` : '';
  return `${code} ${reason}: ${message}\n${causes.join('')}${trace}`;
}
