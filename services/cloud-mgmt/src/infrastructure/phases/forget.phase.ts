import { settled, type Outcome } from '@crate/reconcile';
import type { SecretStore } from '@crate/secrets';
import type { TerraformExecutor } from '../../terraform-run/terraform-executor.js';
import { leftoversKey } from '../../deletion/leftovers.js';
import type { InfrastructureClouds } from '../infrastructure-cloud.js';
import type { InfrastructureScope } from '../infrastructure.scope.js';

/**
 * Removes what is kept about an Infrastructure whose cloud resources are gone: working files, runs, and last the state. A pass that dies
 * after that is told by the DeletionRecord, which is there before (`StatePhase`), that the state is not missed.
 */
export class ForgetPhase {
  constructor(
    private readonly executor: Pick<TerraformExecutor, 'forget'>,
    private readonly secrets: SecretStore,
    private readonly clouds: InfrastructureClouds,
  ) {}

  readonly run = async (scope: InfrastructureScope): Promise<Outcome> => {
    const { infrastructure, account } = scope;
    const { uid } = infrastructure.metadata;
    const close = account && this.clouds.of(infrastructure, account).closeRuntime;
    const closeRuntime = close ?? ((): Promise<void> => Promise.resolve());
    await this.executor.forget(uid, closeRuntime);
    await this.executor.forget(leftoversKey(uid), closeRuntime);
    await this.secrets.removeOwner(uid);
    return settled;
  };
}
