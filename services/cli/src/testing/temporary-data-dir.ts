import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDir } from '../up/data-dir.js';

/** A data directory of its own for one test. */
export async function temporaryDataDir(): Promise<DataDir> {
  return new DataDir(await mkdtemp(join(tmpdir(), 'crate-data-')));
}

export async function removeDataDir(dir: DataDir): Promise<void> {
  await rm(dir.root, { recursive: true, force: true });
}
