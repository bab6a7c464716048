import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import type { Database } from '@crate/database';
import { conflict, hasCode, unavailable } from '@crate/errors';
import { randomUUID } from 'node:crypto';
import { noticeOf } from '../change/change.js';
import { ChangeListeners } from '../change/change-listeners.js';
import { watchChanges } from '../change/watch-changes.js';
import { numberChanges, resultOf } from '../commit.js';
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
import { formatRevision, parseRevision, type Revision } from '../revision.js';
import { CompiledQuery } from '../selector/compiled-query.js';
import type { WriteWitness } from '../witness.js';
import { ChangeLog } from './change-log.js';
import { ChangeTail } from './change-tail.js';
import { PostgresObjectReader } from './postgres-object-reader.js';
import { ResourceLister } from './resource-lister.js';
import { WriteBatcher, type CommitListener } from './write-batcher.js';
import { Writer } from './writer.js';

export interface PostgresStoreOptions {
  /** Its schema has the migrations of `resourceStoreMigrations`. The store does not close it. */
  readonly database: Database;
  /** Changes kept for watches and pages; older ones are Gone. Default 100,000. */
  readonly history?: number;
  /** How soon changes of other replicas are found that nobody told of; only while somebody watches. Default 5,000. */
  readonly pollMs?: number;
  /** Source of timestamps. Default: the system's clock. */
  readonly clock?: () => Date;
  /** What it says of a write is appended to the audit log in the same transaction (`append_audit_entries`). */
  readonly witness?: WriteWitness;
  /** Told of each transaction that writes, for metrics; must not throw. */
  readonly onCommit?: CommitListener;
}

/** How the log of changes stands, for metrics. */
export interface StoreStanding {
  /** The newest revision. */
  readonly head: number;
  /** The newest revision that was forgotten. */
  readonly floor: number;
  /** Up to here the watches of this process were told; `head` while there are none. */
  readonly toldTo: number;
}

const DEFAULT_HISTORY = 100_000;
const DEFAULT_POLL_MS = 5_000;

/** How often a write is planned anew because others keep changing what it depends on. */
const ATTEMPTS = 50;

/** Resources of one service in its PostgreSQL schema, shared by any number of replicas. How it works: ADR 0011. */
export class PostgresResourceStore extends ResourceStore {
  private readonly reader: PostgresObjectReader;
  private readonly lister: ResourceLister;
  private readonly log: ChangeLog;
  private readonly batcher: WriteBatcher;
  private readonly writer = new Writer();
  private readonly listeners = new ChangeListeners();
  private readonly tail: ChangeTail;
  private readonly history: number;
  private readonly clock: () => Date;

  constructor(options: PostgresStoreOptions) {
    super();
    const { database, history = DEFAULT_HISTORY, pollMs = DEFAULT_POLL_MS } = options;
    this.history = history;
    this.clock = options.clock ?? (() => new Date());
    this.reader = new PostgresObjectReader(database);
    this.lister = new ResourceLister(database);
    this.log = new ChangeLog(database);
    this.batcher = new WriteBatcher(database, this.writer, options.witness, options.onCommit);
    this.tail = new ChangeTail(this.log, this.listeners, { pollMs, writer: this.writer });
  }

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    return this.reader.find(key);
  }

  async list(query: StoreQuery, options: StoreListOptions = {}): Promise<KubeList> {
    return this.lister.list(new CompiledQuery(query), options);
  }

  async create(object: KubeObject, options: StoreWriteOptions = {}): Promise<KubeObject> {
    return this.write(createRule(object), options);
  }

  async update(object: KubeObject, options: StoreWriteOptions = {}): Promise<KubeObject> {
    return this.write(updateRule(object, options.seen), options);
  }

  async remove(key: ObjectKey, options: StoreRemoveOptions = {}): Promise<KubeObject> {
    return this.write(removeRule(key, options), options);
  }

  watch(query: StoreQuery, options: StoreWatchOptions): AsyncIterable<WatchEvent> {
    return watchChanges(this.tail, new CompiledQuery(query), options);
  }

  async changesSince(fromRevision: string, limit: number): Promise<readonly ChangeNotice[]> {
    const { changes } = await this.log.read(parseRevision(fromRevision), limit);
    return changes.map(noticeOf);
  }

  async currentRevision(): Promise<string> {
    return formatRevision(await this.log.head());
  }

  async compact(keep: number): Promise<void> {
    await this.log.compact(keep);
  }

  /**
   * Forgets changes older than this, and all but the newest `history`. To be called every now and then, by any number of
   * replicas: how often says how exactly the age is kept to.
   */
  async expire(maxAgeMs: number): Promise<void> {
    await this.log.expire(this.history, maxAgeMs);
  }

  /** A look at the log of changes; writes nothing. */
  async observe(): Promise<StoreStanding> {
    // Taken first: what is committed in between is a lag of a moment, and the other way round would be less than none.
    const { toldTo } = this.tail;
    const { head, floor } = await this.log.state();
    return { head, floor, toldTo: toldTo ?? head };
  }

  onChange(listener: ChangeListener): () => void {
    const forget = this.listeners.add(listener);
    const leave = this.tail.join();
    return () => {
      forget();
      leave();
    };
  }

  notify(revision?: string): void {
    this.tail.wake(revision === undefined ? undefined : parseRevision(revision));
  }

  async close(): Promise<void> {
    await this.tail.close();
  }

  private async write(rule: WriteRule, { guards = [] }: StoreWriteOptions): Promise<KubeObject> {
    if (this.tail.isClosed) throw unavailable('The store is closed');
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const plan = new WritePlan(this.reader, attempt === 0, guards);
      const object = await rule(plan, { now: this.clock(), newUid: randomUUID });
      if (plan.changes.length === 0) return object;
      await plan.requireGuards();
      const first = await this.commit(plan);
      if (first !== undefined) return this.committed(plan, first, object.metadata.uid);
    }
    throw conflict('Others keep changing what this write depends on, try again');
  }

  /** The first revision of the plan; undefined when it must be made anew. */
  private async commit(plan: WritePlan): Promise<Revision | undefined> {
    try {
      return await this.batcher.commit(plan);
    } catch (error) {
      if (hasCode(error, 'Conflict')) return undefined; // A deadlock with the work queue, say: nothing was committed.
      if (hasCode(error, 'Unavailable', 'Timeout')) this.lookForUnanswered();
      throw error;
    }
  }

  /** What was not answered may be committed: before, now or in a moment. The tail tells of it as of somebody else's. */
  private lookForUnanswered(): void {
    this.writer.rename();
    this.tail.giveUpAnswers();
  }

  private committed(plan: WritePlan, first: Revision, uid: string): KubeObject {
    const changes = numberChanges(plan.changes, first);
    this.listeners.tell(changes.map(noticeOf), 'local');
    this.tail.committed(changes);
    this.compactNowAndThen(first, changes.length);
    // Made for this write alone: the caller may do with it what it likes.
    return resultOf(changes, uid) as KubeObject;
  }

  /** Revisions are dense, so exactly one replica commits each round number; that one tidies up. */
  private compactNowAndThen(first: Revision, count: number): void {
    const every = Math.max(1, Math.ceil(this.history / 10));
    const isDue = Math.floor((first + count - 1) / every) > Math.floor((first - 1) / every);
    // Nobody waits for it, and if it fails the next round does it.
    if (isDue && first > this.history) this.log.compact(this.history).catch(() => undefined);
  }
}
