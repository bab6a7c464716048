import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

  it('makes no first key beside records that stand under others: the directory is not the one they were in', async () => {
    const keysInUse = (): Promise<readonly string[]> => Promise.resolve(['2026-01', '2026-02']);
    await expect(FileKeyProvider.ensure(directory, { keysInUse })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('2026-01, 2026-02'),
      details: { reason: 'EncryptionKeyMissing', remedy: expect.stringContaining(directory) },
    });
    expect(await readdir(directory)).toEqual([]);

    await createKeyFile(directory);
    await expect(FileKeyProvider.ensure(directory, { keysInUse })).resolves.toBeDefined();
    await rm(directory, { recursive: true });
    await FileKeyProvider.ensure(directory, { keysInUse: () => Promise.resolve([]) });
    expect(await readdir(directory)).toHaveLength(1);
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

  describe('of replicas that get a further key at different times', () => {
    const settleMs = 180_000;
    let now: number;
    let box: (place: string) => Promise<AesGcmSecretBox>;
    beforeEach(() => {
      now = Date.parse('2026-03-01T00:00:00Z');
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
      box = async (place) =>
        new AesGcmSecretBox(await FileKeyProvider.open(join(directory, place), { settleMs, now: () => now }));
    });
    afterEach(() => void jest.useRealTimers());

    function later(ms: number): void {
      now += ms;
      jest.advanceTimersByTime(ms);
    }

    async function share(keyId: string, ...places: readonly string[]): Promise<void> {
      for (const place of places)
        await copyFile(join(directory, `${keyId}.key`), join(directory, place, `${keyId}.key`));
    }

    it('wraps with it once every one of them has it, and opens with it at once', async () => {
      for (const place of ['first', 'second']) await mkdir(join(directory, place));
      const older = await createKeyFile(directory, new Date('2026-01-01T00:00:00Z'));
      await share(older, 'first', 'second');
      const [first, second] = [await box('first'), await box('second')];
      const newer = await createKeyFile(directory, new Date(now));
      await share(newer, 'first');
      later(20_000);
      expect((await first.seal(plain, binding)).keyId).toBe(older);
      later(100_000);
      await share(newer, 'second');
      await expect(second.open(await first.seal(plain, binding), binding)).resolves.toBeDefined();

      later(100_000);
      const sealed = await first.seal(plain, binding);
      expect([sealed.keyId, await first.currentKeyIds()]).toEqual([newer, [newer]]);
      await expect(second.open(sealed, binding)).resolves.toBeDefined();
      // It has seen the key later: what the other one has wrapped is up to date all the same.
      expect([await second.newestKeyId(), await second.currentKeyIds()]).toEqual([older, [older, newer]]);
      later(200_000);
      expect(await second.newestKeyId()).toBe(newer);
    });

    it('goes by the date in the id when it has just started, and by nothing when there is one key', async () => {
      const only = await createKeyFile(directory, new Date(now));
      expect(await (await box('.')).newestKeyId()).toBe(only);
      const next = await createKeyFile(directory, new Date(now + 60_000));
      later(200_000);
      expect(await (await box('.')).newestKeyId()).toBe(only);
      later(60_000);
      expect(await (await box('.')).newestKeyId()).toBe(next);
    });
  });

  describe('that is open already, when', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
    afterEach(() => void jest.useRealTimers());

    it.each([
      { name: 'others may read a key', code: 'InvalidSpec', spoil: (file: string) => chmod(file, 0o640) },
      { name: 'a key is half written', code: 'InvalidSpec', spoil: (file: string) => writeFile(file, 'c2hvcnQ=') },
      { name: 'the directory is empty', code: 'Unavailable', spoil: (file: string) => rm(file) },
      { name: 'the directory is gone', code: 'Unavailable', spoil: () => rm(directory, { recursive: true }) },
    ])('$name, goes on with the keys it has and tells', async ({ code, spoil }) => {
      const keyId = await createKeyFile(directory, new Date('2026-01-01T00:00:00Z'));
      const onReread = jest.fn();
      const box = new AesGcmSecretBox(await FileKeyProvider.open(directory, { onReread }));
      await spoil(join(directory, `${keyId}.key`));
      jest.advanceTimersByTime(20_000);
      const sealed = await box.seal(plain, binding);
      expect(onReread).toHaveBeenCalledWith([expect.objectContaining({ code })]);
      await expect(box.open(sealed, binding)).resolves.toBeDefined();
      await expect(box.open({ ...sealed, keyId: 'other' }, binding)).rejects.toMatchObject({
        details: { reason: 'EncryptionKeyMissing' },
      });

      await rm(directory, { recursive: true, force: true });
      await mkdir(directory);
      const next = await createKeyFile(directory);
      jest.advanceTimersByTime(20_000);
      expect((await box.seal(plain, binding)).keyId).toBe(next);
      expect(onReread).toHaveBeenLastCalledWith([]);
    });

    it('one file is bad, keeps the key that was in it, and takes the good ones', async () => {
      const older = await createKeyFile(directory, new Date('2026-01-01T00:00:00Z'));
      const onReread = jest.fn();
      const box = new AesGcmSecretBox(await FileKeyProvider.open(directory, { onReread }));
      const sealed = await box.seal(plain, binding);
      await writeFile(join(directory, `${older}.key`), 'c2hvcnQ=');
      const newer = await createKeyFile(directory, new Date('2026-02-01T00:00:00Z'));
      jest.advanceTimersByTime(20_000);

      expect((await box.seal(plain, binding)).keyId).toBe(newer);
      await expect(box.open(sealed, binding)).resolves.toBeDefined();
      expect(onReread).toHaveBeenLastCalledWith([expect.objectContaining({ code: 'InvalidSpec' })]);
    });

    it('a file goes while it is read, takes it for one that is not there', async () => {
      const keyId = await createKeyFile(directory);
      const onReread = jest.fn();
      const keys = await FileKeyProvider.open(directory, { onReread });
      await symlink(join(directory, 'gone'), join(directory, '9.key'));
      jest.advanceTimersByTime(20_000);
      expect(await keys.currentKeyIds()).toEqual([keyId]);
      expect(onReread).toHaveBeenLastCalledWith([]);
    });

    it('many look for a key that is not there, looks once a second', async () => {
      await createKeyFile(directory);
      const onReread = jest.fn();
      const keys = await FileKeyProvider.open(directory, { onReread });
      await Promise.all([keys.knows('lost'), keys.knows('lost')]);
      await keys.knows('lost');
      expect(onReread).toHaveBeenCalledTimes(1);
      await keys.knows('other');
      jest.advanceTimersByTime(1_001);
      await keys.knows('lost');
      expect(onReread).toHaveBeenCalledTimes(3);
    });
  });

  it('refuses to open with a link that leads nowhere', async () => {
    await createKeyFile(directory);
    await symlink(join(directory, 'gone'), join(directory, '9.key'));
    await expect(FileKeyProvider.open(directory)).rejects.toMatchObject({ code: 'ENOENT' });
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
