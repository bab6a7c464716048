import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import type { OrphanRemover } from '../sweep/orphan-remover.js';
import { LeftoverRemover, type LeftoverTask } from './leftover-remover.js';
import { clusterTagOf, leftoversKey } from './leftovers.js';

/** Removes them as the sweeper removes what nobody owns: imported into a state that is thrown away, and destroyed. */
export class TerraformLeftoverRemover extends LeftoverRemover {
  constructor(
    private readonly remover: Pick<OrphanRemover, 'remove'>,
    private readonly providers: CloudProviders,
    private readonly credentials: AccountCredentialsStore,
  ) {
    super();
  }

  override async remove({ infrastructure, account, leftovers, context }: LeftoverTask): Promise<void> {
    const [key, value] = clusterTagOf(infrastructure);
    await this.remover.remove({
      key: leftoversKey(infrastructure.metadata.uid),
      account,
      provider: this.providers.get(account.spec.provider),
      access: {
        accountId: account.spec.accountId,
        credentials: await this.credentials.find(account),
        region: infrastructure.spec.region,
      },
      orphans: leftovers,
      isMeant: (_leftover, tags) => tags[key] === value,
      context,
    });
  }
}
