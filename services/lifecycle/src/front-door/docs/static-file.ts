import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';

const YEAR_SECONDS = 31_536_000;
/** Nearly as small as the most that can be had, in a tenth of the time. */
const BROTLI_QUALITY = 9;

/** Whether browsers keep it: for good, because its URL names its content; asking each time whether it is the same; or not at all. */
export type Keep = 'forever' | 'checked' | 'never';

const CACHE_CONTROL: Readonly<Record<Keep, string>> = {
  forever: `public, max-age=${YEAR_SECONDS}, immutable`,
  checked: 'no-cache',
  never: 'no-store',
};

/** A compressed form, by what `Accept-Encoding` calls it; the first one that a client takes is sent. */
type Encodings = readonly (readonly [name: string, content: Buffer])[];

/** Content that is the same for everybody, compressed once. */
export class StaticFile {
  private readonly etag: string;
  private readonly encodings: Encodings;

  constructor(
    private readonly body: Buffer,
    private readonly type: string,
    private readonly keep: Keep = 'checked',
    encodings: Encodings = [['gzip', gzipSync(body, { level: 9 })]],
  ) {
    // What is compressed already only grows.
    this.encodings = encodings.filter(([, content]) => content.length < body.length);
    this.etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  }

  /** The same, smaller still, and without holding anybody up meanwhile. */
  static async compressed(body: Buffer, type: string, keep: Keep): Promise<StaticFile> {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    };
    const [brotli, gzipped] = await Promise.all([
      promisify(brotliCompress)(body, { params }),
      promisify(gzip)(body, { level: 9 }),
    ]);
    return new StaticFile(body, type, keep, [
      ['br', brotli],
      ['gzip', gzipped],
    ]);
  }

  send({ headers, method }: IncomingMessage, response: ServerResponse): void {
    if (this.keep !== 'never') response.setHeader('etag', this.etag);
    response.setHeader('vary', 'Accept, Accept-Encoding');
    response.setHeader('cache-control', CACHE_CONTROL[this.keep]);
    response.setHeader('x-content-type-options', 'nosniff');
    if (this.keep !== 'never' && isKnown(headers['if-none-match'], this.etag))
      return void response.writeHead(304).end();
    const accepted = String(headers['accept-encoding'] ?? '');
    const [encoding, body] = this.encodings.find(([name]) => takes(accepted, name)) ?? [undefined, this.body];
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.writeHead(200, { 'content-type': this.type, 'content-length': body.length });
    response.end(method === 'HEAD' ? undefined : body);
  }
}

/** Proxies that compress make a tag a weak one. */
function isKnown(tags: string | undefined, etag: string): boolean {
  return (tags ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
