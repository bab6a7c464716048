import { mkdir } from 'node:fs/promises';
import { unavailable } from '@crate/errors';
import { createKeyFile, keyIdsIn, readKey } from './key-file.js';
import { KeyProvider, type WrappedKey } from './key-provider.js';
import { KeyRing, type EncryptionKey } from './key-ring.js';
import { KeySettling } from './key-settling.js';
import { keysMissing } from './missing-key.js';

/** A key that has settled is used for wrapping after this time at the latest. */
const LOOK_AGAIN_AFTER_MS = 10_000;
/** A key that is not known is looked for so often. */
const LOOK_FOR_AGAIN_AFTER_MS = 1_000;

/** The last time that a key which is not known was looked for. */
interface Look {
  readonly at: number;
  readonly done: Promise<void>;
}

export interface FileKeyOptions {
  /** How long a further key is only read with, until every replica has its file. Default: not at all, for directories that all share. */
  readonly settleMs?: number;
  /** Told each time that the keys were read again of what could not be; those that are known stay in use. */
  readonly onReread?: (failures: readonly unknown[]) => void;
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
  private readonly looks = new Map<string, Look>();
  private ring: KeyRing;

  private constructor(
    private readonly directory: string,
    private readonly settling: KeySettling,
    private readonly onReread: (failures: readonly unknown[]) => void,
    private keys: readonly EncryptionKey[],
  ) {
    super();
    this.ring = ringOf(keys, settling);
  }

  /** Reads the directory; throws InvalidSpec when a file is readable by others or no key, Unavailable when there is none. */
  static async open(directory: string, options: FileKeyOptions = {}): Promise<FileKeyProvider> {
    const { settleMs = 0, now = Date.now, onReread = () => undefined } = options;
    const keyIds = await keyIdsIn(directory);
    if (keyIds.length === 0) throw noKeyIn(directory);
    const keys = await Promise.all(keyIds.map((keyId) => readKey(directory, keyId)));
    return new FileKeyProvider(directory, new KeySettling(settleMs, now), onReread, keys);
  }

  /**
   * Like `open`, but makes the directory and its first key when they are missing. Throws Unavailable (`EncryptionKeyMissing`) where records
   * stand under others: then it is not the directory that they were in, and under a new key nothing of before could be read.
   */
  static async ensure(directory: string, { keysInUse, ...options }: FirstKeyOptions = {}): Promise<FileKeyProvider> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if ((await keyIdsIn(directory)).length === 0) {
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
    if (!(await this.ring.knows(keyId))) await this.lookFor(keyId);
    return this.ring;
  }

  /** There may be thousands of records under it: of those that look at once, one does. */
  private async lookFor(keyId: string): Promise<void> {
    const last = this.looks.get(keyId);
    if (last && performance.now() - last.at < LOOK_FOR_AGAIN_AFTER_MS) return last.done;
    const done = this.reload();
    this.looks.set(keyId, { at: performance.now(), done });
    return done;
  }

  private async current(): Promise<KeyRing> {
    if (performance.now() - this.lookedAt > LOOK_AGAIN_AFTER_MS) await this.reload();
    return this.ring;
  }

  /** One file that is bad, or a directory that is away, must not stop all encryption. */
  private async reload(): Promise<void> {
    this.lookedAt = performance.now();
    const failures: unknown[] = [];
    try {
      this.keys = await this.readAgain((error) => failures.push(error));
      this.ring = ringOf(this.keys, this.settling);
    } catch (error) {
      failures.push(error);
    }
    this.onReread(failures);
  }

  /** Each file by itself: the key of one that is bad stays what it was. */
  private async readAgain(onFailure: (error: unknown) => void): Promise<readonly EncryptionKey[]> {
    const found = await Promise.all(
      (await keyIdsIn(this.directory)).map((keyId) =>
        readKey(this.directory, keyId).catch((error: unknown) => {
          // It went after the directory was read.
          if (isGone(error)) return undefined;
          onFailure(error);
          return this.keys.find((key) => key.keyId === keyId);
        }),
      ),
    );
    const keys = found.filter((key) => key !== undefined);
    if (keys.length === 0) throw noKeyIn(this.directory);
    return keys;
  }
}

function ringOf(keys: readonly EncryptionKey[], settling: KeySettling): KeyRing {
  return new KeyRing(keys, settling.wrapping(keys.map(({ keyId }) => keyId)));
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function noKeyIn(directory: string): Error {
  return unavailable(`There is no encryption key in ${directory}`);
}
