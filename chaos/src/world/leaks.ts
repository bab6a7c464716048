import { join } from 'node:path';
import { scanDatabase, SecretScan } from '@crate/testing';
import type { ChaosPlatform } from '../platform/chaos-platform.js';

const SHORTEST = 16;

interface Plain {
  readonly kind: string;
  readonly content: Buffer;
}

export interface LeakScanOptions {
  /** Looking takes a while: every so often, for everything that was secret since the last time. Default: each time. */
  readonly every?: number;
  /** Whoever hears what services say to each other; each look takes what there is. Default: nobody. */
  readonly traffic?: { readonly take: () => Buffer };
}

/** Looks for secrets outside the encrypted store: in the logs of all processes, in every table, and in what crossed NATS. */
export class LeakScan {
  private canaries = new Map<string, string>();
  /** Those of the look before: what is written while something is deleted may have what was secret until then. */
  private former = new Map<string, string>();
  private looks = 0;

  constructor(
    private readonly platform: Pick<ChaosPlatform, 'directory' | 'databaseUrl'>,
    private readonly options: LeakScanOptions = {},
  ) {}

  /** Places in which something secret was found, without the secret. */
  async look(plain: readonly Plain[]): Promise<readonly string[]> {
    for (const { kind, content } of plain) {
      for (const value of needlesOf(content.toString('utf8'))) this.canaries.set(value, kind);
    }
    // Whatever is stored has something to look for in it, or it is not understood any more.
    if (plain.length > 0 && this.canaries.size === 0)
      return ['nowhere: in what is stored nothing was found to look for'];
    this.looks += 1;
    return this.looks % (this.options.every ?? 1) === 0 ? this.lookNow() : [];
  }

  /** Looks for what was not looked for yet, and for that of the time before. */
  async lookNow(): Promise<readonly string[]> {
    const sought = new Map([...this.former, ...this.canaries]);
    if (sought.size === 0) return [];
    const scan = new SecretScan([...sought].map(([value, name]) => ({ name, value })));
    this.former = this.canaries;
    this.canaries = new Map();
    const traffic = this.options.traffic?.take();
    if (traffic && !traffic.includes('MSG ')) return ['nowhere: on NATS nothing was heard'];
    scan.scan('NATS', traffic ?? '');
    await scan.scanDirectory(join(this.platform.directory, 'logs'));
    await scanDatabase(scan, await this.platform.databaseUrl());
    return scan.findings.map(({ canary, encoding, place }) => `${canary} (${encoding}) in ${place}`);
  }
}

/** Parts of a secret by which it is recognised: passwords and tokens of JSON, lines of keys. */
export function needlesOf(content: string): readonly string[] {
  const marked = content.matchAll(/"?(?:secretAccessKey|password|token|client-key-data)"?\s*:\s*"?([\w+/=.-]{16,})/g);
  const keyed = content.matchAll(/-----BEGIN ([A-Z ]*)PRIVATE KEY-----((?:(?:\\n|\s)+[A-Za-z0-9+/=]+)+)/g);
  const bodies = [...keyed].flatMap(([, kind = '', body = '']) => keyNeedles(kind.trim(), body));
  return [...[...marked].map(([, value = '']) => value), ...bodies].filter((text) => text.length >= SHORTEST);
}

/**
 * Parts of a key that no other key has. What it begins with is alike in all of a kind: in OpenSSH's form up to line 4, where the secret is
 * (PROTOCOL.key), in a bare elliptic one a few characters (RFC 5915), in others a line.
 */
function keyNeedles(kind: string, body: string): readonly string[] {
  const lines = body.split(/(?:\\n|\s)+/).filter((line) => line !== '');
  if (kind === 'EC') return lines.slice(0, 1).map((line) => line.slice(12, 52));
  const secret = kind === 'OPENSSH' ? lines.slice(3, 4) : lines.slice(1, 6);
  return secret.map((line) => line.slice(5, 29));
}
