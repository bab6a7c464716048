import { join } from 'node:path';
import { scanDatabase, SecretScan } from '@crate/testing';
import type { ChaosPlatform } from '../platform/chaos-platform.js';

const SHORTEST = 16;

interface Plain {
  readonly kind: string;
  readonly content: Buffer;
}

/** Looks for secrets outside the encrypted store: in the logs of all processes, and in every table. */
export class LeakScan {
  private canaries = new Map<string, string>();
  private looks = 0;

  constructor(
    private readonly platform: ChaosPlatform,
    /** Looking takes a while: every so often, for everything that was secret since the last time. */
    private readonly every = 1,
  ) {}

  /** Places in which something secret was found, without the secret. */
  async look(plain: readonly Plain[]): Promise<readonly string[]> {
    for (const { kind, content } of plain) {
      for (const value of needlesOf(content.toString('utf8'))) this.canaries.set(value, kind);
    }
    this.looks += 1;
    if (this.looks % this.every !== 0 || this.canaries.size === 0) return [];
    const scan = new SecretScan([...this.canaries].map(([value, name]) => ({ name, value })));
    this.canaries = new Map();
    await scan.scanDirectory(join(this.platform.directory, 'logs'));
    await scanDatabase(scan, await this.platform.databaseUrl());
    return scan.findings.map(({ canary, encoding, place }) => `${canary} (${encoding}) in ${place}`);
  }
}

/** Parts of a secret by which it is recognised: passwords and tokens of JSON, lines of keys. */
export function needlesOf(content: string): readonly string[] {
  const marked = content.matchAll(/"?(?:secretAccessKey|password|token|client-key-data)"?\s*:\s*"?([\w+/=.-]{16,})/g);
  const keyed = content.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+([A-Za-z0-9+/=]+)/g);
  // The first line of a key names its kind, so what is looked for is from the middle of it.
  const bodies = [...keyed].map(([, line = '']) => line.slice(-24));
  return [...[...marked].map(([, value = '']) => value), ...bodies].filter((text) => text.length >= SHORTEST);
}
