import type { KubeObject } from '@crate/api';
import type { Change } from '../change/change.js';
import { ChangeFeed, type ChangePage } from '../change/change-feed.js';
import { WakeUp } from '../change/wake-up.js';
import { goneError, type Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import type { MemoryState, UndoableChange } from './memory-state.js';

const PAGE = 500;

/** The log of a `MemoryState` as watches read it. */
export class MemoryFeed extends ChangeFeed {
  private closed = false;
  private readonly wakeUp = new WakeUp();

  constructor(private readonly state: MemoryState) {
    super();
  }

  get isClosed(): boolean {
    return this.closed;
  }

  start(from: Revision | undefined): Promise<Revision> {
    const { floor, head } = this.state;
    if (from === undefined) return Promise.resolve(head);
    return from < floor || from > head ? Promise.reject(goneError(from, floor, head)) : Promise.resolve(from);
  }

  async read(cursor: Revision, query: CompiledQuery): Promise<ChangePage> {
    const page = await Promise.resolve(this.state.changesAfter(cursor, PAGE));
    return { changes: page.filter((change) => query.covers(change.key)), readTo: cursor + page.length };
  }

  previousOf(changes: readonly Change[]): Promise<ReadonlyMap<Revision, KubeObject>> {
    const previous = new Map<Revision, KubeObject>();
    for (const change of changes as readonly UndoableChange[]) {
      if (change.previous) previous.set(change.revision, change.previous);
    }
    return Promise.resolve(previous);
  }

  async waitBeyond(cursor: Revision, signal: AbortSignal, timeoutMs: number): Promise<void> {
    if (this.closed || this.state.head > cursor) return;
    await this.wakeUp.wait(signal, timeoutMs);
  }

  join(): () => void {
    return () => undefined;
  }

  announce(): void {
    this.wakeUp.wakeAll();
  }

  close(): void {
    this.closed = true;
    this.wakeUp.wakeAll();
  }
}
