import { describe, expect, it } from '@jest/globals';
import type { SecretFacts, SecretStore } from '../secret-store.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function textOf(store: SecretStore, owner: string, kind = 'state'): Promise<string | undefined> {
  const found = await store.find(owner, kind);
  return found && new TextDecoder().decode(found.plain);
}

/** What every `SecretStore` does; `create` gives an empty one that keeps three versions. */
export function secretStoreContract(name: string, create: () => Promise<SecretStore>): void {
  describe(`${name} as a SecretStore`, () => {
    it('finds the newest version', async () => {
      const store = await create();

      expect(await store.put('a', 'state', bytes('one'))).toBe(1);
      expect(await store.put('a', 'state', bytes('two'))).toBe(2);

      expect(await textOf(store, 'a')).toBe('two');
      expect((await store.find('a', 'state'))?.serial).toBe(2);
    });

    it('finds nothing where nothing is', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));

      expect(await store.find('b', 'state')).toBeUndefined();
      expect(await store.find('a', 'key')).toBeUndefined();
      expect(await store.versions('b', 'state')).toEqual([]);
    });

    it('stores an empty value', async () => {
      const store = await create();
      await store.put('a', 'state', bytes(''));

      expect(await textOf(store, 'a')).toBe('');
    });

    it('makes no version of the same content, but one of content that was there before', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));

      expect(await store.put('a', 'state', bytes('one'))).toBe(1);
      expect(await store.put('a', 'state', bytes('two'))).toBe(2);
      expect(await store.put('a', 'state', bytes('one'))).toBe(3);
      expect(await store.versions('a', 'state')).toHaveLength(3);
    });

    it('does not hand out its own memory', async () => {
      const store = await create();
      const plain = bytes('one');
      await store.put('a', 'state', plain);
      plain.fill(0);
      (await store.find('a', 'state'))?.plain.fill(0);

      expect(await textOf(store, 'a')).toBe('one');
    });

    it('keeps the newest versions only, and their serials', async () => {
      const store = await create();
      for (const text of ['one', 'two', 'three', 'four']) await store.put('a', 'state', bytes(text));

      const versions = await store.versions('a', 'state');
      expect(versions.map(({ serial, size }) => ({ serial, size }))).toEqual([
        { serial: 2, size: 3 },
        { serial: 3, size: 5 },
        { serial: 4, size: 4 },
      ]);
      expect(versions.every(({ createdAt }) => createdAt instanceof Date)).toBe(true);
    });

    it('counts serials for each owner and kind alone', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));

      expect(await store.put('a', 'key', bytes('one'))).toBe(1);
      expect(await store.put('b', 'state', bytes('one'))).toBe(1);
    });

    it.each([
      { name: 'other content', text: 'stale' },
      { name: 'the same content', text: 'new' },
    ])('refuses an older epoch with Conflict: $name', async ({ text }) => {
      const store = await create();
      await store.put('a', 'state', bytes('new'), { epoch: 5n });

      await expect(store.put('a', 'state', bytes(text), { epoch: 4n })).rejects.toMatchObject({ code: 'Conflict' });
      expect(await textOf(store, 'a')).toBe('new');
    });

    it('takes the same and a newer epoch, and one beyond 53 bits', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'), { epoch: 5n });

      expect(await store.put('a', 'state', bytes('two'), { epoch: 5n })).toBe(2);
      expect(await store.put('a', 'state', bytes('three'), { epoch: 2n ** 60n })).toBe(3);
      await expect(store.put('a', 'state', bytes('x'), { epoch: 2n ** 60n - 1n })).rejects.toMatchObject({
        code: 'Conflict',
      });
    });

    it('raises the fence also when a newer holder states the same content', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'), { epoch: 5n });
      expect(await store.put('a', 'state', bytes('one'), { epoch: 6n })).toBe(1);

      await expect(store.put('a', 'state', bytes('two'), { epoch: 5n })).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('says whose epoch the newest version is bound to', async () => {
      const store = await create();
      const fence = async (): Promise<unknown> => (await store.find('a', 'state'))?.fence;
      await store.put('a', 'state', bytes('one'));
      expect(await fence()).toBeUndefined();
      await store.put('a', 'state', bytes('two'), { epoch: 5n });
      expect(await fence()).toBe(5n);
      await store.put('a', 'state', bytes('two'), { epoch: 7n });
      expect(await fence()).toBe(7n);
    });

    it('keeps the fence when a writer without an epoch comes between', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'), { epoch: 5n });
      await store.put('a', 'state', bytes('two'));

      await expect(store.put('a', 'state', bytes('three'), { epoch: 4n })).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('fences each kind alone', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'), { epoch: 5n });

      expect(await store.put('a', 'key', bytes('one'), { epoch: 4n })).toBe(1);
    });

    it.each([
      { name: 'a version that came between', text: 'two', after: 1 },
      { name: 'the first version, made from none', text: 'two', after: 0 },
    ])('refuses with Conflict what was made without seeing $name', async ({ text, after }) => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));
      if (after === 1) await store.put('a', 'state', bytes('by a person'));

      const late = store.put('a', 'state', bytes(text), { after });
      await expect(late).rejects.toMatchObject({ code: 'Conflict' });
      expect(await textOf(store, 'a')).toBe(after === 1 ? 'by a person' : 'one');
    });

    it('stores what was made from the newest version, or from none, and is content with the same once more', async () => {
      const store = await create();

      expect(await store.put('a', 'state', bytes('one'), { after: 0 })).toBe(1);
      expect(await store.put('a', 'state', bytes('two'), { after: 1 })).toBe(2);
      expect(await store.put('a', 'state', bytes('two'), { after: 1 })).toBe(2);
    });

    it('gives every concurrent writer its own serial', async () => {
      const store = await create();
      const serials = await Promise.all(
        Array.from({ length: 12 }, (_, index) => store.put('a', 'state', bytes(`content ${index}`))),
      );

      expect(serials.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    });

    it('gives each kept version with its facts, which are made of its serial and the facts before', async () => {
      const store = await create();
      const facts = (serial: number, before?: SecretFacts): SecretFacts => ({
        serial: serial * 10,
        sum: Number(before?.['sum'] ?? 0) + serial,
      });
      for (const text of ['one', 'two', 'three', 'four']) await store.put('a', 'state', bytes(text), { facts });

      expect((await store.find('a', 'state'))?.facts).toEqual({ serial: 40, sum: 10 });
      expect((await store.versions('a', 'state')).map((version) => version.facts)).toEqual([
        { serial: 20, sum: 3 },
        { serial: 30, sum: 6 },
        { serial: 40, sum: 10 },
      ]);
      const third = await store.findVersion('a', 'state', 3);
      expect(third && new TextDecoder().decode(third.plain)).toBe('three');
      expect(third?.facts).toEqual({ serial: 30, sum: 6 });
      expect(await store.findVersion('a', 'state', 1)).toBeUndefined();
      expect(await store.findVersion('a', 'state', 5)).toBeUndefined();
    });

    it('keeps the last version of as many runs, however many each of them wrote', async () => {
      const store = await create();
      const written = ['a', 'a', 'a', 'b', 'b', 'b', 'b', 'c', 'd', 'd', 'd', 'd', 'd'];
      for (const [index, run] of written.entries())
        await store.put('a', 'state', bytes(`content ${index}`), { facts: () => ({ run }) });

      const kept = await store.versions('a', 'state');
      expect(kept.map(({ serial, facts }) => `${String(facts?.['run'])}${serial}`)).toEqual([
        'b7',
        'c8',
        'd11',
        'd12',
        'd13',
      ]);
    });

    it('writes over what a person has looked at, also with the same content', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));

      expect(await store.put('a', 'state', bytes('one'), { heal: { above: 0 } })).toBe(2);
      expect(await store.put('a', 'state', bytes('one'), { heal: { above: 9 } })).toBe(10);
      expect(await textOf(store, 'a')).toBe('one');
    });

    it('makes a version of the same content where that is to be anew', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));

      expect(await store.put('a', 'state', bytes('one'), { isAnew: true })).toBe(2);
      expect(await store.put('a', 'state', bytes('one'))).toBe(2);
    });

    it('removes the kinds of one owner that are old, but for one', async () => {
      const store = await create();
      for (const kind of ['kept', 'old']) await store.put('a', kind, bytes('one'));
      await store.put('b', 'old', bytes('one'));
      await store.removeOthers('a', 'kept', 60_000);
      expect(await textOf(store, 'a', 'old')).toBe('one');

      await store.removeOthers('a', 'kept', 0);
      await store.removeOthers('a', 'kept', 0);
      expect([await textOf(store, 'a', 'kept'), await store.find('a', 'old')]).toEqual(['one', undefined]);
      expect(await textOf(store, 'b', 'old')).toBe('one');
      expect(await store.put('a', 'old', bytes('two'))).toBe(1);
      await store.removeOthers('a', undefined, 0);
      expect(await store.find('a', 'kept')).toBeUndefined();
    });

    it('removes all kinds of one owner, and is content when nothing is there', async () => {
      const store = await create();
      await store.put('a', 'state', bytes('one'));
      await store.put('a', 'key', bytes('one'));
      await store.put('b', 'key', bytes('one'));
      expect(await store.countOwners()).toBe(2);

      await store.removeOwner('a');
      await store.removeOwner('a');

      expect(await store.countOwners()).toBe(1);
      expect(await store.find('a', 'state')).toBeUndefined();
      expect(await textOf(store, 'b', 'key')).toBe('one');
    });
  });
}
