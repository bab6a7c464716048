import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { unavailable } from '@crate/errors';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryResourceStore, Journal, openFileJournal } from '../index.js';
import { describeResourceStore } from '../resource-store.contract.js';

/** Keeps entries as text, as a file would. */
class InMemoryJournal extends Journal {
  constructor(private lines: string[]) {
    super();
  }

  async read(): Promise<readonly unknown[]> {
    return this.lines.map((line) => JSON.parse(line) as unknown);
  }

  append(entry: unknown): void {
    this.lines.push(JSON.stringify(entry));
  }

  async flush(): Promise<void> {}

  async replace(entries: Iterable<unknown>): Promise<void> {
    this.lines.splice(0, this.lines.length, ...[...entries].map((entry) => JSON.stringify(entry)));
  }

  async close(): Promise<void> {}
}

describeResourceStore('InMemoryResourceStore with a journal in memory', async (settings) => {
  const lines: string[] = [];
  let store = await InMemoryResourceStore.open(new InMemoryJournal(lines), settings);
  const close = async (): Promise<void> => store.close();
  const reopen = async (): Promise<InMemoryResourceStore> => {
    await close();
    return (store = await InMemoryResourceStore.open(new InMemoryJournal(lines), settings));
  };
  return { store, reopen, close };
});

describeResourceStore('InMemoryResourceStore with a journal on disk', async (settings) => {
  const directory = await mkdtemp(join(tmpdir(), 'crate-journal-'));
  let store = await InMemoryResourceStore.open(await openFileJournal(directory), settings);
  const reopen = async (): Promise<InMemoryResourceStore> => {
    await store.close();
    return (store = await InMemoryResourceStore.open(await openFileJournal(directory), settings));
  };
  const close = async (): Promise<void> => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { store, reopen, close };
});

describe('InMemoryResourceStore and its journal', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-journal-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const widgets = { group: 'test.crate.dev', kind: 'Widget' };
  const widget = (name: string): KubeObject => ({
    apiVersion: 'test.crate.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'team-a' } as ObjectMeta,
    spec: { size: 1 },
  });

  it('loses nothing that was acknowledged when the process is killed', async () => {
    const store = await InMemoryResourceStore.open(await openFileJournal(directory));
    for (let index = 0; index < 20; index += 1) {
      await store.create(widget(`w${index}`));
      const copy = join(directory, `copy-${index}`);
      await cp(join(directory, 'journal.jsonl'), join(copy, 'journal.jsonl'), { recursive: true });
      const survivor = await InMemoryResourceStore.open(await openFileJournal(copy));

      expect(await survivor.list(widgets)).toEqual(await store.list(widgets));
      await survivor.close();
    }
    await store.close();
  });

  it('grows with what there is to keep, not with what happened', async () => {
    const options = { history: 100 };
    const store = await InMemoryResourceStore.open(await openFileJournal(directory), options);
    await store.create(widget('busy'));
    await store.create(widget('quiet'));
    const { size } = await stat(join(directory, 'journal.jsonl'));
    const updates = Array.from({ length: 5_000 }, (_, count) => store.update({ ...widget('busy'), status: { count } }));
    await Promise.all(updates);
    expect((await stat(join(directory, 'journal.jsonl'))).size).toBeLessThan(2_000 * size);
    const list = await store.list(widgets);
    await store.close();

    const next = await InMemoryResourceStore.open(await openFileJournal(directory), options);
    expect(await next.list(widgets)).toEqual(list);
    expect(await next.changesSince('4952', 100)).toHaveLength(50);
    await next.close();
  });

  it('changes nothing when the journal cannot be written', async () => {
    const lines: string[] = [];
    const journal = new InMemoryJournal(lines);
    const store = await InMemoryResourceStore.open(journal);
    await store.create(widget('one'));
    journal.append = () => {
      throw unavailable('No space left');
    };

    await expect(store.create(widget('two'))).rejects.toMatchObject({ code: 'Unavailable' });
    expect((await store.list(widgets)).items).toHaveLength(1);
    expect(await store.currentRevision()).toBe('1');
  });

  it('refuses a journal whose changes are not in order', async () => {
    const lines: string[] = [];
    const store = await InMemoryResourceStore.open(new InMemoryJournal(lines));
    for (const name of ['a', 'b', 'c']) await store.create(widget(name));
    lines.splice(1, 1);

    await expect(InMemoryResourceStore.open(new InMemoryJournal(lines))).rejects.toMatchObject({ code: 'Invariant' });
  });
});
