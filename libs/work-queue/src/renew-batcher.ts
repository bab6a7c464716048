import { Batcher, type SqlRunner } from '@crate/database';
import type { WorkClaim } from '@crate/reconcile';
import { RENEW_MANY } from './statements.js';

interface Renewal {
  readonly claim: WorkClaim;
  readonly leaseMs: number;
}

/** Little of a lease, and little for whoever waits for the answer. */
const GATHERED = { share: 1 / 50, mostMs: 250 } as const;

/**
 * Renews leases, many in one statement and one commit: hundreds of passes may wait for their turn, each with a lease. Like the end of passes it
 * never waits for a locked row; such a lease goes on to `alone`, as one that was lost does.
 */
export class RenewBatcher {
  private readonly renewals = new Batcher<Renewal, boolean>({
    run: (batch) => this.run(batch),
    largest: Infinity,
    atATime: Infinity,
    gatherMs: ({ leaseMs }) => Math.min(leaseMs * GATHERED.share, GATHERED.mostMs),
  });

  constructor(
    private readonly sql: SqlRunner,
    /** Renews one lease, however long that takes; tells whether it is still ours. */
    private readonly alone: (claim: WorkClaim, leaseMs: number) => Promise<boolean>,
  ) {}

  async renew(claim: WorkClaim, leaseMs: number): Promise<boolean> {
    return this.renewals.ask({ claim, leaseMs });
  }

  private async run(batch: readonly Renewal[]): Promise<readonly (boolean | Promise<boolean>)[]> {
    const renewed = batch.length > 1 ? await this.together(batch) : new Set<number>();
    return batch.map(({ claim, leaseMs }, index) => renewed.has(index + 1) || this.alone(claim, leaseMs));
  }

  /** Places in the batch, from 1, of those that were renewed. */
  private async together(batch: readonly Renewal[]): Promise<ReadonlySet<number>> {
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
