import { mkdtemp, rm } from 'node:fs/promises';
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
