import { setTimeout as delay } from 'node:timers/promises';
import { byKind, FOLLOWED, type Mark } from './followed.js';
import type { Gap } from './gap.js';
import type { Change, Records, Schema } from './records.js';

const LOOK_EVERY_MS = 1_000;

type Log = Pick<Records, 'changes' | 'newest'>;

/** Changes by kind, up to which revision they are not in there, and where some are missing after that. */
export interface Kept {
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  readonly since: Mark;
  readonly gaps: Readonly<Record<string, readonly Gap[]>>;
}

/** Keeps all changes of what is followed, also when the platform forgets them meanwhile. */
export class KeptChanges {
  private readonly kinds: readonly KeptKind[];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private looking: Promise<unknown> = Promise.resolve();

  private constructor(log: Log, since: Mark) {
    this.kinds = Object.entries(FOLLOWED).map(([kind, { schema }]) => new KeptKind(log, { kind, schema }, since[kind]));
    this.running = this.follow();
  }

  /** From now on; what was before is not in there. */
  static async fromNow(log: Log): Promise<KeptChanges> {
    return new KeptChanges(log, await byKind((_kind, { schema }) => log.newest(schema)));
  }

  /** All until now. Rejects when nobody can look. */
  async read(): Promise<Kept> {
    await this.look();
    return {
      changes: Object.fromEntries(this.kinds.map(({ kind, changes }) => [kind, [...changes]])),
      since: Object.fromEntries(this.kinds.map(({ kind, since }) => [kind, since])),
      gaps: Object.fromEntries(this.kinds.map(({ kind, gaps }) => [kind, [...gaps]])),
    };
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Postgres is broken on purpose; then nobody forgets anything there either.
      await this.look().catch(() => undefined);
      await delay(LOOK_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** One after the other, or a change would be kept twice. */
  private async look(): Promise<void> {
    const before = this.looking.catch(() => undefined);
    this.looking = before.then(async () => {
      for (const kind of this.kinds) await kind.look();
    });
    await this.looking;
  }
}

class KeptKind {
  readonly kind: string;
  readonly changes: Change[] = [];
  readonly gaps: Gap[] = [];
  private readTo: number;

  constructor(
    private readonly log: Log,
    private readonly of: { readonly kind: string; readonly schema: Schema },
    readonly since = 0,
  ) {
    this.kind = of.kind;
    this.readTo = since;
  }

  async look(): Promise<void> {
    const { kind, schema } = this.of;
    const { changes, newest, floor } = await this.log.changes(schema, kind, this.readTo);
    // What is forgotten between two looks nobody knows.
    if (floor > this.readTo) this.gaps.push({ after: this.readTo, upTo: floor });
    this.changes.push(...changes);
    // Revisions are committed in their order: up to the newest one everything was there.
    this.readTo = newest;
  }
}
