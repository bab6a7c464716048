import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

const YEAR_SECONDS = 31_536_000;

/** Content that is the same for everybody, compressed once. */
export class StaticFile {
  private readonly compressed: Buffer;
  private readonly etag: string;

  /** `isVersioned`: its URL names its content, so that browsers may keep it for good. */
  constructor(
    private readonly body: Buffer,
    private readonly type: string,
    private readonly isVersioned = false,
  ) {
    this.compressed = gzipSync(body, { level: 9 });
    this.etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  }

  send({ headers, method }: IncomingMessage, response: ServerResponse): void {
    response.setHeader('etag', this.etag);
    response.setHeader('vary', 'Accept, Accept-Encoding');
    response.setHeader('cache-control', this.isVersioned ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    response.setHeader('x-content-type-options', 'nosniff');
    if (headers['if-none-match'] === this.etag) return void response.writeHead(304).end();
    const isCompressed = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    const body = isCompressed ? this.compressed : this.body;
    if (isCompressed) response.setHeader('content-encoding', 'gzip');
    response.writeHead(200, { 'content-type': this.type, 'content-length': body.length });
    response.end(method === 'HEAD' ? undefined : body);
  }
}
