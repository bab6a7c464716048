import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@crate/api';
import { hasCode } from '@crate/errors';
import { noticeOf, type Change } from '../change/change.js';
import { ChangeFeed, type ChangePage } from '../change/change-feed.js';
import type { ChangeListeners } from '../change/change-listeners.js';
import { WakeUp } from '../change/wake-up.js';
import type { Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import type { ChangeLog } from './change-log.js';
import { OwnChanges } from './own-changes.js';
import type { Writer } from './writer.js';

const PAGE = 500;

/** Newest changes kept in memory for all watches of this process; a watch that is further behind reads the log itself. */
const RECENT = 1_000;

/** When one commit follows the other, two looks are this far apart, so that each brings several to all watches at once. */
const REST_MS = 5;

export interface ChangeTailOptions {
  readonly pollMs: number;
  /** Of this process: its own changes are not told again. */
  readonly writer: Writer;
}

/**
 * Follows the log once for all watches and listeners of this process, and only while there are any. Woken by local commits
 * and by `notify`; a slow poll finds what nobody told.
 */
export class ChangeTail extends ChangeFeed {
  private readonly stopped = new AbortController();
  private readonly news = new WakeUp();
  private readonly watchers = new WakeUp();
  private readonly own = new OwnChanges();
  private recent: Change[] = [];
  /** What changes replaced, asked for once for all watches: those that keep up share the changes of `recent`. */
  private readonly previous = new WeakMap<Change, Promise<KubeObject | undefined>>();
  /** Changes of this process that the log has, and that it was not told yet to have committed. */
  private unanswered: readonly Change[] = [];
  private answeredTo: Revision = 0;
  /** Undefined until the tail knows where the log ends. */
  private head: Revision | undefined;
  private users = 0;
  private hasNews = false;
  /** Somebody else may have committed. */
  private isLogNew = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly log: ChangeLog,
    private readonly listeners: ChangeListeners,
    private readonly options: ChangeTailOptions,
  ) {
    super();
  }

  /** Up to here watches were told; undefined while there are none. */
  get toldTo(): Revision | undefined {
    return this.head;
  }

  get isClosed(): boolean {
    return this.stopped.signal.aborted;
  }

  async start(from: Revision | undefined): Promise<Revision> {
    if (from === undefined) return this.log.head();
    await this.log.requireSince(from);
    return from;
  }

  async read(cursor: Revision, query: CompiledQuery): Promise<ChangePage> {
    const inMemory = this.recentAfter(cursor);
    if (!inMemory) return this.log.read(cursor, PAGE, query);
    const page = inMemory.slice(0, PAGE);
    return { changes: page.filter((change) => query.covers(change.key)), readTo: cursor + page.length };
  }

  async previousOf(changes: readonly Change[]): Promise<ReadonlyMap<Revision, KubeObject>> {
    const replacing = changes.filter(({ type }) => type !== 'ADDED');
    this.ask(replacing.filter((change) => !this.previous.has(change)));
    // Held on to before any is waited for: a statement that fails meanwhile is forgotten, and must fail this one, too.
    const answers = replacing.map(async (change) => this.previous.get(change));
    const objects = await Promise.all(answers);
    const found = objects.map((object, at) => [replacing[at]?.revision, object] as const);
    return new Map(found.filter((one): one is [Revision, KubeObject] => one[1] !== undefined));
  }

  async waitBeyond(cursor: Revision, signal: AbortSignal, timeoutMs: number): Promise<void> {
    if (this.isClosed || (this.head !== undefined && this.head > cursor)) return;
    await this.watchers.wait(signal, timeoutMs);
  }

  join(): () => void {
    this.users += 1;
    if (!this.isClosed) this.running ??= this.run();
    return () => {
      this.users -= 1;
      this.wake();
    };
  }

  /** There may be something new in the log: whatever it is, or this revision. */
  wake(revision?: Revision): void {
    if (revision !== undefined && this.head !== undefined && revision <= (this.own.last ?? this.head)) return;
    this.isLogNew = true;
    this.wakeUp();
  }

  /** This process has committed these: they need not be read from the log, unless others' come before them. */
  committed(changes: readonly Change[]): void {
    const answeredTo = changes.at(-1)?.revision ?? this.answeredTo;
    this.answeredTo = answeredTo;
    this.unanswered = this.unanswered.filter(({ revision }) => revision > answeredTo);
    if (this.head === undefined) return this.wake();
    this.own.add(changes);
    this.wakeUp();
  }

  /** No answer comes any more to what this process wrote: what the log has of it is told as of somebody else's. */
  giveUpAnswers(): void {
    const { unanswered } = this;
    this.unanswered = [];
    this.listeners.tell(unanswered.map(noticeOf), 'remote');
    this.wake();
  }

  async close(): Promise<void> {
    this.stopped.abort();
    this.watchers.wakeAll();
    await this.running;
  }

  /** One statement for all of these; its failure is for those that wait for it, and not remembered. */
  private ask(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const answer = this.log.previousOf(changes);
    for (const change of changes) {
      const previous = answer.then((objects) => objects.get(change.revision));
      this.previous.set(change, previous);
      previous.catch(() => this.previous.delete(change));
    }
  }

  private async run(): Promise<void> {
    while (this.users > 0 && !this.isClosed) {
      this.hasNews = false;
      const lookedAt = performance.now();
      const isMore = await this.advance();
      if (!isMore && !this.hasNews) await this.news.wait(this.stopped.signal, this.options.pollMs);
      else if (!isMore) await this.rest(lookedAt + REST_MS - performance.now());
    }
    this.running = undefined; // In the same breath as the check above, or a watch that joins now would find nobody running.
    this.forget();
  }

  private async rest(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { signal: this.stopped.signal }).catch(() => undefined);
  }

  private wakeUp(): void {
    this.hasNews = true;
    this.news.wakeAll();
  }

  /** Takes one page, from memory or from the log; true when there is more to read at once. */
  private async advance(): Promise<boolean> {
    const isLogNew = this.isLogNew;
    this.isLogNew = false;
    try {
      if (this.head === undefined) {
        this.head = await this.log.head();
        this.watchers.wakeAll();
        return false;
      }
      const own = this.own.takeAfter(this.head);
      if (own.length > 0) {
        this.keep(own, this.head + own.length);
        // Revisions are dense: what still waits is behind a gap that others' commits have left.
        if (!isLogNew) return this.own.last !== undefined;
      }
      const { changes, readTo } = await this.log.read(this.head, PAGE);
      this.own.dropTo(readTo);
      if (changes.length === 0) return false;
      this.keep(changes, readTo);
      const isOwn = (change: (typeof changes)[number]): boolean => change.writer === this.options.writer.name;
      const unanswered = changes.filter((change) => isOwn(change) && change.revision > this.answeredTo);
      this.unanswered = [...this.unanswered, ...unanswered];
      this.listeners.tell(changes.filter((change) => !isOwn(change)).map(noticeOf), 'remote');
      return changes.length === PAGE;
    } catch (error) {
      // Cut off for longer than the log reaches back: begin anew at its end. Each watch finds out by itself that it is Gone.
      if (hasCode(error, 'Gone')) this.forget();
      return false; // Without a database there is nothing to do but to look again at the next poll.
    }
  }

  private keep(changes: readonly Change[], head: Revision): void {
    this.head = head;
    this.recent = [...this.recent, ...changes].slice(-RECENT);
    this.watchers.wakeAll();
  }

  private forget(): void {
    this.head = undefined;
    this.own.clear();
    this.recent = [];
    this.watchers.wakeAll();
  }

  /** What is in memory after `cursor`; undefined when that is not all there is. */
  private recentAfter(cursor: Revision): readonly Change[] | undefined {
    // Ahead of all there is: a database that lost commits. Only the log can say that what the watch knows is gone.
    if (this.head === undefined || cursor > this.head) return undefined;
    const skipped = cursor - (this.head - this.recent.length);
    return skipped < 0 ? undefined : this.recent.slice(skipped);
  }
}
