import type { SqlRunner } from '@crate/database';
import type { WorkClaim } from '@crate/reconcile';
import { RENEW_MANY } from './statements.js';

interface Waiting {
  readonly claim: WorkClaim;
  readonly leaseMs: number;
  readonly resolve: (isOurs: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Little of a lease, and little for whoever waits for the answer. */
const GATHERED = { share: 1 / 50, mostMs: 250 } as const;

/**
 * Renews leases, many in one statement and one commit: hundreds of passes may wait for their turn, each with a lease. Like the end of passes it
 * never waits for a locked row; such a lease goes on to `alone`, as one that was lost does.
 */
export class RenewBatcher {
  private readonly queue: Waiting[] = [];

  constructor(
    private readonly sql: SqlRunner,
    /** Renews one lease, however long that takes; tells whether it is still ours. */
    private readonly alone: (claim: WorkClaim, leaseMs: number) => Promise<boolean>,
  ) {}

  async renew(claim: WorkClaim, leaseMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.queue.push({ claim, leaseMs, resolve, reject });
      if (this.queue.length > 1) return;
      setTimeout(() => void this.run(this.queue.splice(0)), Math.min(leaseMs * GATHERED.share, GATHERED.mostMs));
    });
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      const renewed = batch.length > 1 ? await this.together(batch) : new Set<number>();
      batch.forEach(({ claim, leaseMs, resolve, reject }, index) => {
        if (renewed.has(index + 1)) resolve(true);
        else this.alone(claim, leaseMs).then(resolve, reject);
      });
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
  }

  /** Places in the batch, from 1, of those that were renewed. */
  private async together(batch: readonly Waiting[]): Promise<ReadonlySet<number>> {
    const claims = batch.map(({ claim }) => claim);
    const rows = await this.sql.rows<{ readonly place: number }>(RENEW_MANY, [
      claims.map(({ reconciler }) => reconciler),
      claims.map(({ key }) => key.namespace),
      claims.map(({ key }) => key.name),
      claims.map(({ epoch }) => epoch),
      batch.map(({ leaseMs }) => leaseMs),
    ]);
    return new Set(rows.map(({ place }) => place));
  }
}
