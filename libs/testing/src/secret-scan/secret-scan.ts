import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { encodingsOf } from './encodings.js';

/** A secret that was planted, or that the platform made. */
export interface Canary {
  /** What it is, such as `SSH key of demo`; findings say it, never the value. */
  readonly name: string;
  readonly value: string;
}

/** A secret where it may not be. */
export interface Finding {
  readonly canary: string;
  readonly encoding: string;
  /** Such as a file or a table. */
  readonly place: string;
  /** What stands before it, so that it can be found; not the secret itself. */
  readonly before: string;
}

interface Pattern {
  readonly canary: string;
  readonly encoding: string;
  readonly bytes: Buffer;
}

const CONTEXT_BYTES = 80;

/** Looks for secrets, in every encoding they are likely to be written in, wherever it is pointed at. */
export class SecretScan {
  private readonly patterns: readonly Pattern[];
  private readonly longest: number;
  private readonly found = new Map<string, Finding>();
  private scanned = 0;

  /** Throws when a canary is too short to be told from chance, or when there is none. */
  constructor(canaries: readonly Canary[]) {
    if (canaries.length === 0) throw new Error('There is no secret to look for');
    const short = canaries.find(({ value }) => value.length < 12);
    if (short) throw new Error(`${short.name} is too short to be looked for`);
    this.patterns = canaries.flatMap(({ name, value }) =>
      encodingsOf(value).map(({ encoding, text }) => ({ canary: name, encoding, bytes: Buffer.from(text) })),
    );
    this.longest = Math.max(...this.patterns.map(({ bytes }) => bytes.length));
  }

  /** One finding for each secret and place. */
  get findings(): readonly Finding[] {
    return [...this.found.values()];
  }

  /** So that a scan of nothing is noticed. */
  get bytesScanned(): number {
    return this.scanned;
  }

  scan(place: string, content: Buffer | string): void {
    const data = typeof content === 'string' ? Buffer.from(content) : content;
    this.scanned += data.length;
    for (const { canary, encoding, bytes } of this.patterns) {
      const at = data.indexOf(bytes);
      const key = `${canary}\n${place}`;
      if (at < 0 || this.found.has(key)) continue;
      const before = data.subarray(Math.max(0, at - CONTEXT_BYTES), at).toString();
      this.found.set(key, { canary, encoding, place, before });
    }
  }

  /** Scans a file of any size. */
  async scanFile(path: string): Promise<void> {
    let rest = Buffer.alloc(0);
    for await (const chunk of createReadStream(path, { highWaterMark: 4 * 1024 * 1024 })) {
      const data = Buffer.concat([rest, chunk as Buffer]);
      this.scan(path, data);
      // A secret may lie across two chunks.
      rest = data.subarray(Math.max(0, data.length - this.longest));
    }
  }

  /** Scans every file below a directory, which a server may be at work in: what it removes meanwhile is left out. */
  async scanDirectory(directory: string): Promise<void> {
    for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) await this.scanFile(join(entry.parentPath, entry.name)).catch(unlessGone);
    }
  }
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The lines of a PEM text that hold its secret: each alone tells it. */
export function pemCanaries(name: string, pem: string): readonly Canary[] {
  const lines = pem.split('\n').filter((line) => line.length >= 40 && !line.startsWith('-----'));
  // The first line of a key says what kind it is, and is alike in many; the last is short.
  return lines.slice(1, 6).map((value, index) => ({ name: `${name}, line ${index + 2}`, value }));
}

/** Pieces of a long text that is secret as a whole, as it would be copied. */
export function excerptCanaries(name: string, text: string, pieces = 4, length = 60): readonly Canary[] {
  const step = Math.floor(text.length / (pieces + 1));
  return Array.from({ length: pieces }, (_, index) => ({
    name: `${name}, from character ${step * (index + 1)}`,
    value: text.slice(step * (index + 1), step * (index + 1) + length),
  })).filter(({ value }) => value.length === length);
}
