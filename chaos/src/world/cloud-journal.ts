import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const OBJECT = 'object/';

/** An object of the simulated cloud, as its journal has it. */
export interface CloudObject {
  readonly account: string;
  readonly region: string;
  readonly type: string;
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Line {
  readonly key: string;
  readonly value?: unknown;
}

/** Reads what exists in the simulated cloud from its files: a snapshot, and the changes after it. */
export async function readCloud(sandboxDirectory: string): Promise<readonly CloudObject[]> {
  const directory = join(sandboxDirectory, 'cloud');
  const snapshotFile = join(directory, 'snapshot.ndjson');
  // The journal is emptied once a new snapshot is in place: both must be of one time.
  for (;;) {
    const before = await inodeOf(snapshotFile);
    const text = (await textOf(snapshotFile)) + (await textOf(join(directory, 'journal.ndjson')));
    if ((await inodeOf(snapshotFile)) === before) return replay(text);
  }
}

/** The objects that are left after all changes; a last line that was cut off does not count. */
export function replay(text: string): readonly CloudObject[] {
  const objects = new Map<string, CloudObject>();
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of whole.split('\n').filter((each) => each.startsWith('{'))) {
    const { key, value } = JSON.parse(line) as Line;
    if (!key.startsWith(OBJECT)) continue;
    if (value === undefined) objects.delete(key);
    else objects.set(key, value as CloudObject);
  }
  return [...objects.values()];
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function inodeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.ino ?? 0;
}
