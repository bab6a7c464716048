import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conflict, unavailable } from '@crate/errors';
import { directoryWith } from '../testing/files-of.js';
import { cannotWrite, FOR_OWNER, writeOut, writeOutLong } from './out-file.js';

const NOBODY = 65_534;

let directory: Awaited<ReturnType<typeof directoryWith>>;
beforeAll(async () => {
  directory = await directoryWith({ file: '' });
});
afterAll(async () => directory.remove());

describe('a file that output goes to', () => {
  it('is its owner’s alone where that is said', async () => {
    const file = join(directory.path, 'report.json');
    await writeOut(file, '{}', FOR_OWNER);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['{}', FOR_OWNER]);
  });

  it.each([
    { name: 'no/such/file', want: 'there is no such file or folder' },
    { name: '.', want: 'it is a folder' },
    { name: 'file/below', want: 'a part of the path is no folder' },
  ])('that cannot be written is told: $name', async ({ name, want }) => {
    const path = join(directory.path, name);
    const told = { code: 'BadRequest', message: `Cannot write ${path}: ${want}` };
    await expect(writeOut(path, '')).rejects.toMatchObject(told);
    await expect(writeOutLong(path, lines())).rejects.toMatchObject(told);
  });

  it('has all of what is long, for its owner alone, also where it was open to all', async () => {
    const file = join(directory.path, 'long.jsonl');
    await writeFile(file, 'before', { mode: 0o644 });
    await chmod(file, 0o644);
    const link = join(directory.path, 'link.jsonl');
    await symlink(file, link);
    await writeOutLong(link, lines('1', '2'), FOR_OWNER);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['1\n2\n', FOR_OWNER]);
  });

  it('stays as it was when what is long breaks off', async () => {
    const { path, remove } = await directoryWith({ 'long.jsonl': 'before' });
    const file = join(path, 'long.jsonl');
    const away = unavailable('Away');
    await expect(writeOutLong(file, lines('1', away))).rejects.toBe(away);
    expect(await readdir(path)).toEqual(['long.jsonl']);
    expect(await readFile(file, 'utf8')).toBe('before');
    await remove();
  });

  it.each([
    { name: 'no other may be made beside it', folder: 0o555 },
    { name: 'no other may take its place', folder: 0o1777 },
  ])('is written as it is where $name', async ({ folder }) => {
    const { path, remove } = await directoryWith({ 'long.jsonl': 'before' });
    const file = join(path, 'long.jsonl');
    await chmod(file, 0o666);
    await chmod(path, folder);
    await asAnotherUser(() => writeOutLong(file, lines('1', '2'), FOR_OWNER));
    expect(await readFile(file, 'utf8')).toBe('1\n2\n');
    expect(await readdir(path)).toEqual(['long.jsonl']);
    await chmod(path, 0o755);
    await remove();
  });

  it('is all there is, also when the process ends in the middle', async () => {
    const { path, remove } = await directoryWith({ 'long.jsonl': 'before' });
    const others = process.listeners('exit');
    const ended = writeOutLong(join(path, 'long.jsonl'), untilExit(others, path));
    await expect(ended).rejects.toThrow('It ended');
    expect(process.listeners('exit')).toEqual(others);
    await remove();
  });

  it('stays whose it was', async () => {
    const { path, remove } = await directoryWith({ 'long.jsonl': 'before' });
    const file = join(path, 'long.jsonl');
    const owner = process.geteuid?.() === 0 ? NOBODY : (process.geteuid?.() ?? 0);
    if (owner === NOBODY) await chown(file, NOBODY, NOBODY);
    await writeOutLong(file, lines('1'), FOR_OWNER);
    expect(await stat(file)).toMatchObject({ uid: owner });
    await remove();
  });

  it('takes what is long as a device, too, and tells when no space is left', async () => {
    await writeOutLong('/dev/null', lines('1'));
    await expect(writeOutLong('/dev/full', lines('1'))).rejects.toMatchObject({
      code: 'BadRequest',
      message: 'Cannot write /dev/full: no space is left there',
    });
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it('leaves errors of others as they are', () => {
    const error = conflict('Somebody else has it');
    expect(() => cannotWrite('/x')(error)).toThrow(error);
  });
});

/** Without the rights of root, which may write everywhere. */
async function asAnotherUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Does what an exit in the middle does, but for the listeners of others. */
async function* untilExit(others: readonly unknown[], path: string): AsyncGenerator<string> {
  yield 'a line\n';
  expect(await readdir(path)).toHaveLength(2);
  for (const listener of process.listeners('exit').filter((each) => !others.includes(each))) listener(0);
  expect(await readdir(path)).toEqual(['long.jsonl']);
  throw new Error('It ended');
}

async function* lines(...given: readonly (string | Error)[]): AsyncGenerator<string> {
  for (const line of given) {
    if (line instanceof Error) throw line;
    yield `${line}\n`;
    await Promise.resolve();
  }
}
