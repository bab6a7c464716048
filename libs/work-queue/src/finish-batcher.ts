import type { SqlRunner } from '@crate/database';
import { errorCode } from '@crate/errors';
import type { WorkClaim } from '@crate/reconcile';
import { FINISH_MANY } from './statements.js';

/** A pass that ended, and when its key is to be looked at again. */
export interface EndedPass {
  readonly claim: WorkClaim;
  readonly afterMs: number;
  readonly failed: boolean;
  readonly settled: boolean;
}

interface Waiting {
  readonly ended: EndedPass;
  readonly resolve: (dueInMs: number | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** `place` among those that ended, from 1. */
type FinishedRow = Record<'place' | 'due_in_ms', number>;

const LARGEST_BATCH = 64;

/**
 * Gives leases back, many in one statement: passes that began together end together. It never waits for a locked row, because a batch
 * that does can end in a deadlock with a commit that makes the same keys due; such a lease goes on to `alone`, as one that was lost does.
 */
export class FinishBatcher {
  private readonly queue: Waiting[] = [];
  private isBusy = false;

  constructor(
    private readonly sql: SqlRunner,
    /** Ends one pass, however long that takes. */
    private readonly alone: (ended: EndedPass) => Promise<number | undefined>,
  ) {}

  /** Milliseconds until the key is due again; what `alone` says of a lease that no batch can give back. */
  async finish(ended: EndedPass): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.queue.push({ ended, resolve, reject });
      // Once everything that this turn of the event loop brings about has ended.
      if (this.queue.length === 1) process.nextTick(() => this.pump());
    });
  }

  private pump(): void {
    if (this.isBusy || this.queue.length === 0) return;
    this.isBusy = true;
    void this.run(this.queue.splice(0, LARGEST_BATCH)).finally(() => {
      this.isBusy = false;
      this.pump();
    });
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      const dueInMs = batch.length > 1 ? await this.attempt(batch) : [];
      batch.forEach(({ ended, resolve, reject }, index) => {
        const known = dueInMs[index];
        if (known === undefined) this.alone(ended).then(resolve, reject);
        else resolve(known);
      });
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
  }

  /** A batch that the server refuses has one pass in it that spoils it for the others: each goes on alone. */
  private async attempt(batch: readonly Waiting[]): Promise<readonly (number | undefined)[]> {
    try {
      return await this.together(batch);
    } catch (error) {
      if (errorCode(error) === 'Unavailable') throw error;
      return [];
    }
  }

  /** In the order of the batch; undefined for leases that were lost, or whose row is locked. */
  private async together(batch: readonly Waiting[]): Promise<readonly (number | undefined)[]> {
    const claims = batch.map(({ ended }) => ended.claim);
    const rows = await this.sql.rows<FinishedRow>(FINISH_MANY, [
      claims.map(({ reconciler }) => reconciler),
      claims.map(({ key }) => key.namespace),
      claims.map(({ key }) => key.name),
      claims.map(({ epoch }) => epoch),
      batch.map(({ ended }) => ended.afterMs),
      batch.map(({ ended }) => ended.failed),
      batch.map(({ ended }) => ended.settled),
    ]);
    const byPlace = new Map(rows.map(({ place, due_in_ms: dueInMs }) => [place, Math.max(0, dueInMs)]));
    return batch.map((_, index) => byPlace.get(index + 1));
  }
}
