import { bringPastKeys, forgetBroughtKeys, type TrustDirectories } from '@crate/auth';
import { conflict } from '@crate/errors';
import { FileKeyProvider, listKeyFiles, type KeyProvider } from '@crate/secrets';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyCarrier } from './key-carrier.js';

/** Directories of key-encryption keys by the schema of their service; `to` may be missing still. */
export interface KeyDirectories {
  readonly from: Readonly<Record<string, string>>;
  readonly to: Readonly<Record<string, string>>;
  /** Where both have the public keys of services; absent: what the source has signed is not verified in the target. */
  readonly trust?: TrustDirectories;
}

/** Between directories of one machine: files for their owner only, from one to the other, and nowhere else. */
export class DirectoryKeyCarrier extends KeyCarrier {
  constructor(private readonly directories: KeyDirectories) {
    super();
  }

  async carry(moveId: string): Promise<void> {
    if (this.directories.trust) await bringPastKeys(this.directories.trust, moveId);
    for (const [schema, from] of Object.entries(this.directories.from)) {
      const to = this.targetOf(schema);
      await mkdir(to, { recursive: true, mode: 0o700 });
      const [theirs, own] = await Promise.all([listKeyFiles(from), listKeyFiles(to)]);
      // Noted first: what is not noted is not taken back.
      const brought = theirs.filter((keyId) => !own.includes(keyId));
      if (brought.length > 0) await note(to, moveId, brought);
      for (const keyId of theirs) await carryOne(join(from, fileOf(keyId)), to, keyId);
    }
  }

  async takeBack(moveId: string): Promise<void> {
    if (this.directories.trust) await forgetBroughtKeys(this.directories.trust.to, moveId);
    for (const to of Object.values(this.directories.to)) {
      for (const keyId of await noted(to, moveId)) await rm(join(to, fileOf(keyId)), { force: true });
      await rm(join(to, noteOf(moveId)), { force: true });
    }
  }

  override targetKeys(schema: string): Promise<KeyProvider> {
    return FileKeyProvider.open(this.targetOf(schema));
  }

  private targetOf(schema: string): string {
    const to = this.directories.to[schema];
    if (to !== undefined) return to;
    throw conflict(`The target has no place for the encryption keys of ${schema}`);
  }
}

async function carryOne(file: string, to: string, keyId: string): Promise<void> {
  const content = await readFile(file, 'utf8');
  const draft = join(to, `.${keyId}.tmp`);
  await rm(draft, { force: true });
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Whole or not at all, and never in the place of another key.
    await link(draft, join(to, fileOf(keyId)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if ((await readFile(join(to, fileOf(keyId)), 'utf8')).trim() === content.trim()) return;
    throw conflict(`The target has another encryption key ${keyId}`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Together with what an interrupted attempt has noted. */
async function note(to: string, moveId: string, keyIds: readonly string[]): Promise<void> {
  const all = [...new Set([...(await noted(to, moveId)), ...keyIds])];
  await writeFile(join(to, noteOf(moveId)), `${all.join('\n')}\n`, { mode: 0o600, flush: true });
}

async function noted(to: string, moveId: string): Promise<readonly string[]> {
  try {
    return (await readFile(join(to, noteOf(moveId)), 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function noteOf(moveId: string): string {
  return `.brought-by-${moveId}`;
}

function fileOf(keyId: string): string {
  return `${keyId}.key`;
}
