import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AesGcmSecretBox, createKeyFile, FileKeyProvider } from './index.js';

const binding = { ownerUid: 'a', kind: 'state', serial: 1 };
const plain = new TextEncoder().encode('one');
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-keys-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('FileKeyProvider', () => {
  it('makes the first key, once, for its owner only', async () => {
    const keys = join(directory, 'keys');
    await FileKeyProvider.ensure(keys);
    await FileKeyProvider.ensure(keys);

    const names = await readdir(keys);
    expect(names).toHaveLength(1);
    expect((await stat(join(keys, names[0]!))).mode & 0o777).toBe(0o600);
    expect((await stat(keys)).mode & 0o777).toBe(0o700);
  });

  it('opens what an earlier process sealed', async () => {
    const sealed = await new AesGcmSecretBox(await FileKeyProvider.ensure(directory)).seal(plain, binding);
    const opened = await new AesGcmSecretBox(await FileKeyProvider.open(directory)).open(sealed, binding);

    expect(Buffer.from(opened).toString()).toBe('one');
  });

  it('wraps with the newest key and still opens the older ones', async () => {
    await createKeyFile(directory, new Date('2026-01-01T00:00:00Z'));
    const before = await new AesGcmSecretBox(await FileKeyProvider.open(directory)).seal(plain, binding);
    const newest = await createKeyFile(directory, new Date('2026-02-01T00:00:00Z'));
    const box = new AesGcmSecretBox(await FileKeyProvider.open(directory));

    expect((await box.seal(plain, binding)).keyId).toBe(newest);
    await expect(box.open(before, binding)).resolves.toBeDefined();
  });

  it('takes up a key that another process added, without a restart', async () => {
    const running = new AesGcmSecretBox(await FileKeyProvider.ensure(directory));
    await createKeyFile(directory);
    const sealed = await new AesGcmSecretBox(await FileKeyProvider.open(directory)).seal(plain, binding);

    await expect(running.open(sealed, binding)).resolves.toBeDefined();
  });

  it.each([
    { name: 'others may read a key', code: 'InvalidSpec', prepare: (file: string) => chmod(file, 0o640) },
    { name: 'a key is too short', code: 'InvalidSpec', prepare: (file: string) => writeFile(file, 'c2hvcnQ=') },
    { name: 'there is no key', code: 'Unavailable', prepare: (file: string) => rm(file) },
  ])('refuses to open when $name', async ({ code, prepare }) => {
    const keyId = await createKeyFile(directory);
    await prepare(join(directory, `${keyId}.key`));

    await expect(FileKeyProvider.open(directory)).rejects.toMatchObject({ code });
  });

  it('refuses to open a directory that is not there', async () => {
    await expect(FileKeyProvider.open(join(directory, 'missing'))).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
