import type { CloudAccount, Infrastructure } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import type { ReconcileContext } from '@crate/reconcile';

/** What a cluster left at the provider, and with what it is removed. */
export interface LeftoverTask {
  readonly infrastructure: Infrastructure;
  readonly account: CloudAccount;
  readonly leftovers: readonly OwnedResource[];
  /** Of the pass. */
  readonly context: ReconcileContext;
}

/** Removes what controllers in a cluster made at the provider and what no Terraform state knows. */
export abstract class LeftoverRemover {
  /**
   * Removes what it knows how to remove, in an order in which that is possible. Whether it is gone is for the next listing to say.
   * Idempotent. Throws TerraformError, or Conflict when a newer pass took over.
   */
  abstract remove(task: LeftoverTask): Promise<void>;
}
