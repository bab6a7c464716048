import { setTimeout as delay } from 'node:timers/promises';
import { JournalTail, type Done } from './journal-tail.js';
import type { Records, RunRow } from './records.js';

const LOOK_EVERY_MS = 250;

/** Something that was done in the cloud, between two looks. */
export interface CloudChange extends Done {
  /** By the clock of this machine, in milliseconds. */
  readonly since: number;
  readonly until: number;
}

/** What was done in the cloud, and by which runs; of a run that is forgotten, what was known of it last. */
export interface KeptDoings {
  readonly cloudChanges: readonly CloudChange[];
  readonly keptRuns: readonly RunRow[];
}

/** Keeps what happens in the simulated cloud, and all runs, also when the platform forgets them with their owners. */
export class KeptCloud {
  private readonly changes: CloudChange[] = [];
  private readonly runs = new Map<string, RunRow>();
  private readonly tail: JournalTail;
  private readonly stopping = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private lookedAt = Date.now();

  private constructor(
    sandboxDirectory: string,
    private readonly records: Pick<Records, 'runs'>,
  ) {
    this.tail = new JournalTail(sandboxDirectory);
  }

  /** Keeps what happens while the work is done; what was before is not in there. */
  static async during<T>(
    sandboxDirectory: string,
    records: Pick<Records, 'runs'>,
    work: (doings: KeptCloud) => Promise<T>,
  ): Promise<T> {
    const kept = new KeptCloud(sandboxDirectory, records);
    await kept.tail.read();
    const running = kept.follow();
    try {
      return await work(kept);
    } finally {
      kept.stopping.abort();
      await running;
    }
  }

  /** All until now. Rejects when nobody can look. */
  async read(): Promise<KeptDoings> {
    await this.look();
    return { cloudChanges: [...this.changes], keptRuns: [...this.runs.values()] };
  }

  private async follow(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Postgres is broken on purpose; then nobody begins or ends a run either.
      await this.look().catch(() => undefined);
      await delay(LOOK_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** One after the other, or a change would be kept twice. */
  private async look(): Promise<void> {
    this.looking = this.looking.catch(() => undefined).then(() => this.lookOnce());
    await this.looking;
  }

  private async lookOnce(): Promise<void> {
    const since = this.lookedAt;
    const now = Date.now();
    const done = await this.tail.read();
    this.lookedAt = now;
    const until = Date.now();
    this.changes.push(...done.map((each) => ({ ...each, since, until })));
    const runs = await this.records.runs();
    const known = new Set(runs.map(({ id }) => id));
    for (const run of runs) this.runs.set(run.id, run);
    // A run goes with its owner, once it has ended.
    for (const run of this.runs.values()) {
      if (run.ended_at === null && !known.has(run.id)) this.runs.set(run.id, { ...run, ended_at: new Date(until) });
    }
  }
}
