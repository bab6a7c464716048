import { open } from 'node:fs/promises';

/** Resolves when what was made, renamed or removed in the directory is on disk: a rename is durable only once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
