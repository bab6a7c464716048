import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChaosPlatform } from '../platform/chaos-platform.js';

const SHORTEST = 16;

/** Places outside the encrypted store where something secret stands: logs of all processes, and every table. */
export async function findLeaks(
  platform: ChaosPlatform,
  plain: readonly { readonly kind: string; readonly content: Buffer }[],
): Promise<readonly string[]> {
  const secrets = new Map(
    plain.flatMap(({ kind, content }) => needlesOf(content.toString('utf8')).map((text) => [text, kind] as const)),
  );
  const leaks = new Set<string>();
  const logs = join(platform.directory, 'logs');
  for (const name of await readdir(logs)) {
    for (const kind of found(await readFile(join(logs, name), 'utf8'), secrets))
      leaks.add(`${kind} in the log ${name}`);
  }
  for await (const { table, text } of platform.records.plainTexts()) {
    for (const kind of found(text, secrets)) leaks.add(`${kind} in the table ${table}`);
  }
  return [...leaks];
}

/** Parts of a secret by which it is recognised: passwords and tokens of JSON, lines of keys. */
export function needlesOf(content: string): readonly string[] {
  const marked = content.matchAll(/"?(?:secretAccessKey|password|token|client-key-data)"?\s*:\s*"?([\w+/=.-]{16,})/g);
  const keyed = content.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+([A-Za-z0-9+/=]+)/g);
  // The first line of a key names its kind, so what is looked for is from the middle of it.
  const bodies = [...keyed].map(([, line = '']) => line.slice(-24));
  return [...[...marked].map(([, value = '']) => value), ...bodies].filter((text) => text.length >= SHORTEST);
}

function found(text: string, secrets: ReadonlyMap<string, string>): Set<string> {
  return new Set([...secrets].filter(([secret]) => text.includes(secret)).map(([, kind]) => kind));
}
