import type { CloudAccount, Cluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** An account stays where it is for as long as clusters use it; one of the same name may come later. */
const KEEP_MS = 10 * 60_000;
const MOST_KEPT = 10_000;

interface Known {
  readonly provider: string;
  readonly untilMs: number;
}

/** At which cloud the accounts of clusters are: asked of their owner once in a while, and not for each review. */
export class AccountProviders {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly accounts: Pick<TypedClient<CloudAccount>, 'find'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Undefined when there is no such account, or the cluster has none. `looking` is a look at the account that is under way, so that nobody looks twice.
   * Throws what the look throws.
   */
  async of(cluster: Cluster, looking?: Promise<CloudAccount | undefined>): Promise<string | undefined> {
    const { namespace = '' } = cluster.metadata;
    const { accountRef } = cluster.spec;
    if (accountRef === undefined) return undefined;
    const { name } = accountRef;
    const key = `${namespace}/${name}`;
    const known = this.known.get(key);
    if (known && this.now() < known.untilMs) return known.provider;
    const account = await (looking ?? this.accounts.find(name, namespace));
    if (account) this.keep(key, account.spec.provider);
    return account?.spec.provider;
  }

  private keep(key: string, provider: string): void {
    if (this.known.size >= MOST_KEPT) this.known.clear();
    this.known.set(key, { provider, untilMs: this.now() + KEEP_MS });
  }
}
