import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadableByOthers } from '@crate/auth';
import { invalidSpec, unavailable } from '@crate/errors';
import { KeyProvider, type WrappedKey } from './key-provider.js';
import { KeyRing, type EncryptionKey } from './key-ring.js';
import { KeySettling } from './key-settling.js';
import { keysMissing } from './missing-key.js';

export const KEY_FILE_SUFFIX = '.key';
const KEY_BYTES = 32;
/** A key that has settled is used for wrapping after this time at the latest. */
const LOOK_AGAIN_AFTER_MS = 10_000;

export interface FileKeyOptions {
  /** How long a further key is only read with, until every replica has its file. Default: not at all, for directories that all share. */
  readonly settleMs?: number;
  /** Told when the keys cannot be read again; those that are known stay in use. */
  readonly onReadFailure?: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface FirstKeyOptions extends FileKeyOptions {
  /** Ids of the keys that records stand under already. Default: none. */
  readonly keysInUse?: () => Promise<readonly string[]>;
}

/**
 * Key-encryption keys as files `<key id>.key` (base64 of 32 bytes, mode 0600) in one directory.
 * The greatest id that has settled wraps; all of them unwrap. Rotation: add a file (`createKeyFile`), let `SecretRenewal` run, remove the old one (`retireKeyFile`). No restart needed.
 */
export class FileKeyProvider extends KeyProvider {
  private lookedAt = performance.now();

  private constructor(
    private readonly directory: string,
    private readonly settling: KeySettling,
    private readonly onReadFailure: (error: unknown) => void,
    private ring: KeyRing,
  ) {
    super();
  }

  /** Reads the directory; throws InvalidSpec when a file is readable by others or no key, Unavailable when there is none. */
  static async open(directory: string, options: FileKeyOptions = {}): Promise<FileKeyProvider> {
    const { settleMs = 0, now = Date.now, onReadFailure = () => undefined } = options;
    const settling = new KeySettling(settleMs, now);
    return new FileKeyProvider(directory, settling, onReadFailure, ringOf(await readKeys(directory), settling));
  }

  /**
   * Like `open`, but makes the directory and its first key when they are missing. Throws Unavailable (`EncryptionKeyMissing`) where records
   * stand under others: then it is not the directory that they were in, and under a new key nothing of before could be read.
   */
  static async ensure(directory: string, { keysInUse, ...options }: FirstKeyOptions = {}): Promise<FileKeyProvider> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if ((await keyFilesIn(directory)).length === 0) {
      const missing = (await keysInUse?.()) ?? [];
      if (missing.length > 0) throw keysMissing(directory, missing);
      await createKeyFile(directory);
    }
    return FileKeyProvider.open(directory, options);
  }

  async wrap(dataKey: Uint8Array, context: Uint8Array): Promise<WrappedKey> {
    return (await this.current()).wrap(dataKey, context);
  }

  async unwrap(wrapped: WrappedKey, context: Uint8Array): Promise<Uint8Array> {
    return (await this.ringWith(wrapped.keyId)).unwrap(wrapped, context);
  }

  async digest(content: Uint8Array, keyId: string): Promise<Uint8Array> {
    return (await this.ringWith(keyId)).digest(content, keyId);
  }

  async knows(keyId: string): Promise<boolean> {
    return (await this.ringWith(keyId)).knows(keyId);
  }

  async newestKeyId(): Promise<string> {
    return (await this.current()).newestKeyId();
  }

  async currentKeyIds(): Promise<readonly string[]> {
    return (await this.current()).currentKeyIds();
  }

  /** Another process may have rotated in the meantime: a key not known yet may just have been added. */
  private async ringWith(keyId: string): Promise<KeyRing> {
    if (!(await this.ring.knows(keyId))) await this.reload();
    return this.ring;
  }

  private async current(): Promise<KeyRing> {
    if (performance.now() - this.lookedAt > LOOK_AGAIN_AFTER_MS) await this.reload();
    return this.ring;
  }

  /** One file that is bad, or a directory that is away, must not stop all encryption. */
  private async reload(): Promise<void> {
    this.lookedAt = performance.now();
    try {
      this.ring = ringOf(await readKeys(this.directory), this.settling);
    } catch (error) {
      this.onReadFailure(error);
    }
  }
}

function ringOf(keys: readonly EncryptionKey[], settling: KeySettling): KeyRing {
  return new KeyRing(keys, settling.wrapping(keys.map(({ keyId }) => keyId)));
}

/** Adds a new key, which wraps once it has settled; gives its id. */
export async function createKeyFile(directory: string, now: Date = new Date()): Promise<string> {
  const keyId = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const draft = join(directory, `.${keyId}.tmp`);
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Appears whole or not at all, and never replaces a key.
    await link(draft, join(directory, `${keyId}${KEY_FILE_SUFFIX}`));
  } finally {
    await rm(draft);
  }
  return keyId;
}

async function keyFilesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(KEY_FILE_SUFFIX) && !name.startsWith('.'));
  } catch (error) {
    throw unavailable(`The key directory ${directory} cannot be read`, error);
  }
}

async function readKeys(directory: string): Promise<EncryptionKey[]> {
  const names = await keyFilesIn(directory);
  const found = await Promise.all(names.map((name) => findKey(directory, name.slice(0, -KEY_FILE_SUFFIX.length))));
  const keys = found.filter((key) => key !== undefined);
  if (keys.length === 0) throw unavailable(`There is no encryption key in ${directory}`);
  return keys;
}

/** Undefined for a file that went after the directory was read. */
async function findKey(directory: string, keyId: string): Promise<EncryptionKey | undefined> {
  try {
    return { keyId, key: await readKey(join(directory, `${keyId}${KEY_FILE_SUFFIX}`)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readKey(file: string): Promise<Uint8Array> {
  if (isReadableByOthers(await stat(file)))
    throw badKeyFile(file, 'must be readable by its owner only (mode 0600, or 0640 where it belongs to root)');
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== KEY_BYTES) throw badKeyFile(file, `must hold ${KEY_BYTES} bytes in base64`);
  return key;
}

function badKeyFile(file: string, message: string): Error {
  return invalidSpec(`Key file ${file} ${message}`, [{ reason: 'FieldValueInvalid', message, field: file }]);
}
