import { join } from 'node:path';
import { scanDatabase, SecretScan } from '@crate/testing';
import type { ChaosPlatform } from '../platform/chaos-platform.js';

const SHORTEST = 16;

/** Places outside the encrypted store where something secret stands: logs of all processes, and every table. */
export async function findLeaks(
  platform: ChaosPlatform,
  plain: readonly { readonly kind: string; readonly content: Buffer }[],
): Promise<readonly string[]> {
  const canaries = new Map(
    plain.flatMap(({ kind, content }) => needlesOf(content.toString('utf8')).map((value) => [value, kind] as const)),
  );
  if (canaries.size === 0) return [];
  const scan = new SecretScan([...canaries].map(([value, name]) => ({ name, value })));
  await scan.scanDirectory(join(platform.directory, 'logs'));
  await scanDatabase(scan, await platform.databaseUrl());
  return scan.findings.map(({ canary, encoding, place }) => `${canary} (${encoding}) in ${place}`);
}

/** Parts of a secret by which it is recognised: passwords and tokens of JSON, lines of keys. */
export function needlesOf(content: string): readonly string[] {
  const marked = content.matchAll(/"?(?:secretAccessKey|password|token|client-key-data)"?\s*:\s*"?([\w+/=.-]{16,})/g);
  const keyed = content.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+([A-Za-z0-9+/=]+)/g);
  // The first line of a key names its kind, so what is looked for is from the middle of it.
  const bodies = [...keyed].map(([, line = '']) => line.slice(-24));
  return [...[...marked].map(([, value = '']) => value), ...bodies].filter((text) => text.length >= SHORTEST);
}
