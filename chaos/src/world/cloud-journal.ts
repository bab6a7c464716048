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

/** What the cloud's files have of an object: how it is from there on; no value: it is gone. */
export interface JournalLine {
  readonly key: string;
  readonly value?: CloudObject;
}

/** Where the simulated cloud keeps what exists: a snapshot, and the changes after it. */
export function filesOf(sandboxDirectory: string): { readonly snapshot: string; readonly journal: string } {
  const directory = join(sandboxDirectory, 'cloud');
  return { snapshot: join(directory, 'snapshot.ndjson'), journal: join(directory, 'journal.ndjson') };
}

/** Reads what exists in the simulated cloud from its files. */
export async function readCloud(sandboxDirectory: string): Promise<readonly CloudObject[]> {
  const { snapshot, journal } = filesOf(sandboxDirectory);
  // The journal is emptied once a new snapshot is in place: both must be of one time.
  for (;;) {
    const before = await inodeOf(snapshot);
    const text = (await textOf(snapshot)) + (await textOf(journal));
    if ((await inodeOf(snapshot)) === before) return [...replay(text).values()];
  }
}

/** The objects that are left after all changes, by their keys; a last line that was cut off does not count. */
export function replay(text: string): Map<string, CloudObject> {
  const objects = new Map<string, CloudObject>();
  for (const { key, value } of linesOf(text)) {
    if (value === undefined) objects.delete(key);
    else objects.set(key, value);
  }
  return objects;
}

/** What whole lines of the cloud's files say of objects. */
export function linesOf(text: string): readonly JournalLine[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').filter((each) => each.startsWith('{'));
  return lines.map((each) => JSON.parse(each) as JournalLine).filter(({ key }) => key.startsWith(OBJECT));
}

/** Empty where there is no such file. */
export async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** 0 where there is no such file. */
export async function inodeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.ino ?? 0;
}
