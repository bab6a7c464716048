import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findProgram } from './find-program.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'crate-find-'));
});
afterEach(async () => rm(root, { recursive: true }));

async function place(directory: string, name: string, mode: number): Promise<string> {
  await mkdir(join(root, directory), { recursive: true });
  const path = join(root, directory, name);
  await writeFile(path, '', { mode });
  return path;
}

function search(names: readonly string[], path: readonly string[], extra: readonly string[] = []): string | undefined {
  const full = (directory: string): string => join(root, directory);
  return findProgram(names, path.map(full).join(delimiter), extra.map(full));
}

describe('findProgram', () => {
  it('takes the first directory of PATH that has it', async () => {
    await place('second', 'tool', 0o755);
    const first = await place('first', 'tool', 0o755);
    expect(search(['tool'], ['empty', 'first', 'second'])).toBe(first);
  });

  it('prefers the first name, wherever it is', async () => {
    await place('first', 'tofu', 0o755);
    const terraform = await place('second', 'terraform', 0o755);
    expect(search(['terraform', 'tofu'], ['first', 'second'])).toBe(terraform);
  });

  it('passes over files that cannot be executed, and directories', async () => {
    await place('first', 'tool', 0o644);
    await mkdir(join(root, 'second', 'tool'), { recursive: true });
    const third = await place('third', 'tool', 0o755);
    expect(search(['tool'], ['first', 'second', 'third'])).toBe(third);
  });

  it('looks into the extra directories last', async () => {
    const extra = await place('extra', 'tool', 0o755);
    expect(search(['tool'], ['first'], ['extra'])).toBe(extra);
    const first = await place('first', 'tool', 0o755);
    expect(search(['tool'], ['first'], ['extra'])).toBe(first);
  });

  it('gives undefined when nobody has it, also for an empty PATH', () => {
    expect(search(['tool'], ['first'])).toBeUndefined();
    expect(findProgram(['tool'], '', [])).toBeUndefined();
  });
});
