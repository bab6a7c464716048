import { Batcher, type SqlRunner } from '@crate/database';
import { hasCode } from '@crate/errors';
import type { WorkClaim } from '@crate/reconcile';
import { FINISH_MANY } from './statements.js';

/** A pass that ended, and when its key is to be looked at again. */
export interface EndedPass {
  readonly claim: WorkClaim;
  readonly afterMs: number;
  readonly failed: boolean;
  readonly settled: boolean;
}

/** `place` among those that ended, from 1. */
type FinishedRow = Record<'place' | 'due_in_ms', number>;

/**
 * Gives leases back, many in one statement: passes that began together end together. It never waits for a locked row, because a batch
 * that does can end in a deadlock with a commit that makes the same keys due; such a lease goes on to `alone`, as one that was lost does.
 */
export class FinishBatcher {
  private readonly ends = new Batcher<EndedPass, number | undefined>({ run: (batch) => this.run(batch) });

  constructor(
    private readonly sql: SqlRunner,
    /** Ends one pass, however long that takes. */
    private readonly alone: (ended: EndedPass) => Promise<number | undefined>,
  ) {}

  /** Milliseconds until the key is due again; what `alone` says of a lease that no batch can give back. */
  async finish(ended: EndedPass): Promise<number | undefined> {
    return this.ends.ask(ended);
  }

  private async run(batch: readonly EndedPass[]): Promise<readonly (number | Promise<number | undefined>)[]> {
    const dueInMs = batch.length > 1 ? await this.together(batch).catch(unlessTooLong) : [];
    return batch.map((ended, index) => dueInMs[index] ?? this.alone(ended));
  }

  /** In the order of the batch; undefined for leases that were lost, or whose row is locked. */
  private async together(batch: readonly EndedPass[]): Promise<readonly (number | undefined)[]> {
    const claims = batch.map(({ claim }) => claim);
    const rows = await this.sql.rows<FinishedRow>(FINISH_MANY, [
      claims.map(({ reconciler }) => reconciler),
      claims.map(({ key }) => key.namespace),
      claims.map(({ key }) => key.name),
      claims.map(({ epoch }) => epoch),
      batch.map((ended) => ended.afterMs),
      batch.map((ended) => ended.failed),
      batch.map((ended) => ended.settled),
    ]);
    const byPlace = new Map(rows.map(({ place, due_in_ms: dueInMs }) => [place, Math.max(0, dueInMs)]));
    return batch.map((_, index) => byPlace.get(index + 1));
  }
}

/** To end a pass again is safe, because it goes by the epoch; not to end it holds the key until the lease is over, and then repeats the pass. */
function unlessTooLong(error: unknown): readonly undefined[] {
  if (hasCode(error, 'Timeout')) return [];
  throw error;
}
