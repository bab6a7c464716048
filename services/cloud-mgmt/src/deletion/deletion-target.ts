import type { CloudAccount, Infrastructure } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryState } from '@crate/service-host';
import type { InfrastructureCloud, InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import { isUnreadable } from '../terraform-state/state-damage.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';

/** What there is to remove, and with what. */
export type DeletionTarget =
  /** Nothing can ever have been created. */
  | { readonly kind: 'untouched' }
  /** Nothing can be removed, nor looked at. */
  | { readonly kind: 'inaccessible' }
  | AccessibleTarget;

/** What can be looked at and removed, as far as is known before the provider is asked. */
export interface AccessibleTarget {
  readonly kind: 'accessible';
  readonly account: CloudAccount;
  readonly cloud: InfrastructureCloud;
}

export interface DeletionTargetsParts {
  readonly accounts: Pick<TypedClient<CloudAccount>, 'find'>;
  readonly states: Pick<StateKeeper, 'countResources'>;
  readonly runs: Pick<TerraformRunRepository, 'list'>;
  readonly clouds: InfrastructureClouds;
  readonly recovery: Pick<RecoveryState, 'findLast'>;
}

/** Finds out, at the beginning of every step of a deletion, what there is to remove. */
export class DeletionTargets {
  constructor(private readonly parts: DeletionTargetsParts) {}

  async of(infrastructure: Infrastructure): Promise<DeletionTarget> {
    const { metadata, spec } = infrastructure;
    if (await this.isUntouched(infrastructure)) return { kind: 'untouched' };
    const account = await this.parts.accounts.find(spec.accountRef.name, metadata.namespace);
    if (!account) return { kind: 'inaccessible' };
    return { kind: 'accessible', account, cloud: this.parts.clouds.of(infrastructure, account) };
  }

  /** Without a run nothing can have been created, unless it was forgotten: a memory that was set back may be older than the first run. */
  private async isUntouched({ metadata }: Infrastructure): Promise<boolean> {
    const { runs, recovery } = this.parts;
    if ((await runs.list(metadata.uid)).length > 0 || (await this.isInState(metadata.uid))) return false;
    const setBack = await recovery.findLast();
    return !setBack || Date.parse(metadata.creationTimestamp) > setBack.begunAt.getTime();
  }

  /** What nobody can read may know of something: a forced deletion that died once it had forgotten the runs goes on by the listing. */
  private async isInState(uid: string): Promise<boolean> {
    try {
      return (await this.parts.states.countResources(uid)) > 0;
    } catch (error) {
      if (isUnreadable(error)) return true;
      throw error;
    }
  }
}
