import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import { unavailable } from '@crate/errors';
import { randomUUID } from 'node:crypto';
import { noticeOf } from '../change/change.js';
import { ChangeListeners } from '../change/change-listeners.js';
import { watchChanges } from '../change/watch-changes.js';
import { numberChanges, resultOf } from '../commit.js';
import type { Journal } from '../journal/journal.js';
import { checkPage, listOf, planPage } from '../list-page.js';
import { cloneJson, freezeJson } from '../object/json.js';
import { compareKeys, keyOf } from '../object/object-key.js';
import { createRule, removeRule, updateRule, type WriteRule } from '../object/write-rules.js';
import { WritePlan } from '../object/write-plan.js';
import {
  ResourceStore,
  type ChangeListener,
  type ChangeNotice,
  type ObjectKey,
  type StoreListOptions,
  type StoreQuery,
  type StoreRemoveOptions,
  type StoreWatchOptions,
  type StoreWriteOptions,
} from '../resource-store.js';
import { formatRevision, parseRevision } from '../revision.js';
import { CompiledQuery } from '../selector/compiled-query.js';
import { MemoryFeed } from './memory-feed.js';
import { MemoryState } from './memory-state.js';
import { StateJournal } from './state-journal.js';

export interface InMemoryStoreOptions {
  /** Source of timestamps. Default: the system's clock. */
  readonly clock?: () => Date;
  /** Changes kept for watches and pages; older ones are Gone. Default 10,000. */
  readonly history?: number;
}

const DEFAULT_HISTORY = 10_000;

/** A store in this process's memory: alone, for tests; with a journal, for simulations that survive a restart. */
export class InMemoryResourceStore extends ResourceStore {
  private readonly feed: MemoryFeed;
  private readonly listeners = new ChangeListeners();
  private readonly clock: () => Date;
  private readonly history: number;
  /** Writes run one after another: each is decided on what the one before left. */
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    options: InMemoryStoreOptions = {},
    private readonly state = new MemoryState(),
    private readonly journal?: StateJournal,
  ) {
    super();
    this.clock = options.clock ?? (() => new Date());
    this.history = options.history ?? DEFAULT_HISTORY;
    this.feed = new MemoryFeed(state);
  }

  /** Continues from a journal. Writes resolve once they are on the disk; `close` closes the journal. */
  static async open(journal: Journal, options: InMemoryStoreOptions = {}): Promise<InMemoryResourceStore> {
    const stateJournal = new StateJournal(journal);
    return new InMemoryResourceStore(options, await stateJournal.load(), stateJournal);
  }

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    return cloneJson(await this.state.find(key));
  }

  async list(query: StoreQuery, options: StoreListOptions = {}): Promise<KubeList> {
    const plan = planPage(new CompiledQuery(query), options);
    const { head, floor } = this.state;
    checkPage(plan, { head, floor });
    const { after, limit } = plan;
    const all = this.state.list(plan.query, plan.revision ?? head);
    const rest = after ? all.filter((object) => compareKeys(keyOf(object), after) > 0) : all;
    const objects = limit ? rest.slice(0, limit + 1) : rest;
    const list = listOf(plan, { head, floor, objects, count: plan.isCounted ? rest.length : undefined });
    const items = options.onlySpec ? list.items.map((item) => partOf(item, options.onlySpec ?? [])) : list.items;
    return Promise.resolve({ ...list, items: cloneJson(items) });
  }

  async create(object: KubeObject, options: StoreWriteOptions = {}): Promise<KubeObject> {
    return this.write(createRule(object), options);
  }

  async update(object: KubeObject, options: StoreWriteOptions = {}): Promise<KubeObject> {
    return this.write(updateRule(object), options);
  }

  async remove(key: ObjectKey, options: StoreRemoveOptions = {}): Promise<KubeObject> {
    return this.write(removeRule(key, options), options);
  }

  watch(query: StoreQuery, options: StoreWatchOptions): AsyncIterable<WatchEvent> {
    return watchChanges(this.feed, new CompiledQuery(query), options);
  }

  async changesSince(fromRevision: string, limit: number): Promise<readonly ChangeNotice[]> {
    const changes = this.state.changesAfter(parseRevision(fromRevision), limit);
    return Promise.resolve(changes.map(noticeOf));
  }

  async currentRevision(): Promise<string> {
    return Promise.resolve(formatRevision(this.state.head));
  }

  async compact(keep: number): Promise<void> {
    await this.inTurn(async () => {
      this.state.compact(keep);
      await this.journal?.shorten(this.state);
    });
  }

  onChange(listener: ChangeListener): () => void {
    return this.listeners.add(listener);
  }

  notify(): void {
    this.feed.announce(); // Nobody else writes here, so there is nothing to look for.
  }

  async close(): Promise<void> {
    await this.inTurn(async () => {
      if (this.feed.isClosed) return;
      this.feed.close();
      await this.journal?.close();
    });
  }

  private async write(rule: WriteRule, options: StoreWriteOptions): Promise<KubeObject> {
    const result = await this.inTurn(() => this.commit(rule, options));
    await this.journal?.flush();
    return cloneJson(result);
  }

  private async commit(rule: WriteRule, { guards = [] }: StoreWriteOptions): Promise<KubeObject> {
    if (this.feed.isClosed) throw unavailable('The store is closed');
    const plan = new WritePlan(this.state, false, guards);
    const object = await rule(plan, { now: this.clock(), newUid: randomUUID });
    if (plan.changes.length === 0) return object;
    await plan.requireGuards();

    const changes = numberChanges(plan.changes, this.state.head + 1).map(freezeJson);
    this.journal?.append(changes);
    for (const change of changes) this.state.apply(change);
    await this.forgetOld();
    this.feed.announce();
    this.listeners.tell(changes.map(noticeOf), 'local');
    return resultOf(changes, object.metadata.uid) ?? object;
  }

  /** Now and then rather than on each write, because it copies the log. */
  private async forgetOld(): Promise<void> {
    if (this.state.head - this.state.floor < this.history + this.history / 10 + 1) return;
    this.state.compact(this.history);
    await this.journal?.shorten(this.state);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.lastWrite.then(work, work);
    this.lastWrite = turn.catch(() => undefined);
    return turn;
  }
}

function partOf({ apiVersion, kind, metadata, ...rest }: KubeObject, fields: readonly string[]): KubeObject {
  const { managedFields: _managedFields, ...shown } = metadata;
  const spec = Object.entries((rest['spec'] as object | undefined) ?? {}).filter(([name]) => fields.includes(name));
  return { apiVersion, kind, metadata: shown, spec: Object.fromEntries(spec) };
}
