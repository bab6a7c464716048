import { readFile } from 'node:fs/promises';
import { isSignedBy, readPublicKeys } from '@crate/auth';
import { badRequest, invalidSpec, unavailable } from '@crate/errors';
import { parseReleaseIndex, type ReleaseIndex } from './release-index.js';

const TIMEOUT_MS = 10_000;
const LARGEST_BYTES = 1_048_576;
const SIGNATURE_SUFFIX = '.sig';

export interface ReleaseSourceOptions {
  /** A file, or an https URL; its signature lies beside it, with `.sig` behind the name. */
  readonly location: string;
  /** PEM files; read each time, so that keys are replaced without a restart. */
  readonly publicKeyFiles: readonly string[];
  readonly now?: () => Date;
  readonly fetch?: typeof fetch;
}

/** Where the index of releases comes from. What is not signed, older than what was read before, or expired is not believed. */
export class ReleaseSource {
  private serial = 0;

  constructor(private readonly options: ReleaseSourceOptions) {}

  /** Throws Unavailable when it cannot be had, InvalidSpec or BadRequest when it is not to be believed. */
  async read(): Promise<ReleaseIndex> {
    const { location, publicKeyFiles, now = () => new Date() } = this.options;
    const keys = await readPublicKeys(publicKeyFiles);
    // One after the other: where neither is there, it is always the index that is named.
    const bytes = await this.bytesAt(location);
    const signature = await this.bytesAt(location + SIGNATURE_SUFFIX);
    if (!isSignedBy(keys, bytes, Buffer.from(signature.toString('utf8').trim(), 'base64'))) {
      throw invalidSpec(`${location} is not signed by a trusted key`, []);
    }
    const index = parseReleaseIndex(bytes.toString('utf8'));
    if (index.serial < this.serial) throw badRequest(`${location} is older than the one before it`);
    if (Date.parse(index.expiresAt) <= now().getTime()) throw badRequest(`${location} expired on ${index.expiresAt}`);
    this.serial = index.serial;
    return index;
  }

  private async bytesAt(location: string): Promise<Buffer> {
    try {
      const bytes = location.startsWith('https://') ? await this.download(location) : await readFile(location);
      if (bytes.length <= LARGEST_BYTES) return bytes;
    } catch (error) {
      throw unavailable(`${location} cannot be read: ${reasonOf(error as Error)}`, error);
    }
    throw badRequest(`${location} has more than ${LARGEST_BYTES} bytes`);
  }

  private async download(url: string): Promise<Buffer> {
    const { fetch: ask = fetch } = this.options;
    const response = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      parts.push(part);
      length += part.length;
      // Enough to see that it is too much.
      if (length > LARGEST_BYTES) break;
    }
    return Buffer.concat(parts);
  }
}

/** What `fetch` throws says that it failed; why is in its cause, whose message is empty when several addresses were tried. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`;
}
