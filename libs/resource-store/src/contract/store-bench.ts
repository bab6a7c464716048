import type { KubeObject, ObjectMeta, OwnerReference, WatchEvent } from '@crate/api';
import type { ObjectKey, ResourceStore, StoreQuery, StoreRemoveOptions } from '../index.js';

/** A store to be held to the contract, with its own empty data. */
export interface StoreUnderTest {
  readonly store: ResourceStore;
  /** Closes the store and opens it again on the same data, as a restart of the process would. */
  reopen(): Promise<ResourceStore>;
  close(): Promise<void>;
}

export interface StoreSettings {
  readonly clock: () => Date;
}

export const WIDGETS: StoreQuery = { group: 'test.crate.dev', kind: 'Widget' };
const NOON = new Date('2026-01-01T12:00:00.400Z');

/** A new store for each test, and short words for what tests do with it. */
export class StoreBench {
  subject!: StoreUnderTest;
  store!: ResourceStore;
  now = NOON;
  stop = new AbortController();

  constructor(private readonly openStore: (settings: StoreSettings) => Promise<StoreUnderTest>) {}

  async setUp(): Promise<void> {
    this.now = NOON;
    this.stop = new AbortController();
    this.subject = await this.openStore({ clock: () => this.now });
    this.store = this.subject.store;
  }

  async tearDown(): Promise<void> {
    this.stop.abort();
    await this.subject.close();
  }

  async names(query: Partial<StoreQuery> = {}): Promise<string[]> {
    return (await this.store.list({ ...WIDGETS, ...query })).items.map((item) => item.metadata.name);
  }

  async isThere(name: string): Promise<boolean> {
    return (await this.store.find(keyFor(name))) !== undefined;
  }

  remove(name: string, options?: StoreRemoveOptions): Promise<KubeObject> {
    return this.store.remove(keyFor(name), options);
  }

  async revision(): Promise<number> {
    return Number(await this.store.currentRevision());
  }

  /** What `work` added to the log, such as `DELETED one`. */
  async changesOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = await this.store.currentRevision();
    await work();
    return (await this.store.changesSince(before, 1000)).map(({ type, key }) => `${type} ${key.name}`);
  }

  /** Reads that many events; the test's own time limit ends a wait in vain. */
  async take(count: number, query: Partial<StoreQuery> = {}, fromRevision?: string): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    const options = { signal: this.stop.signal, ...(fromRevision === undefined ? {} : { fromRevision }) };
    for await (const event of this.store.watch({ ...WIDGETS, ...query }, options)) {
      if (events.push(event) === count) break;
    }
    return events;
  }
}

export function summary(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}

export function keyFor(name: string, namespace = 'team-a', kind = 'Widget'): ObjectKey {
  return { group: 'test.crate.dev', kind, namespace, name };
}

export function widget(
  name: string,
  metadata: Partial<ObjectMeta> = {},
  rest: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: 'test.crate.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'team-a', ...metadata } as ObjectMeta,
    spec: { size: 1 },
    ...rest,
  };
}

export function ownedBy(...owners: readonly KubeObject[]): OwnerReference[] {
  return owners.map(({ apiVersion, kind, metadata: { name, uid } }) => ({ apiVersion, kind, name, uid }));
}

export function blocking(owner: KubeObject): OwnerReference[] {
  return ownedBy(owner).map((reference) => ({ ...reference, blockOwnerDeletion: true }));
}
