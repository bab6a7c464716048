import { CLOUD_ACCOUNT, type CloudAccount } from '@crate/api';
import type { HintBus } from '@crate/messaging';
import { SharedFinds, type TypedClient } from '@crate/resource-client';
import type { References } from './cluster.references.js';

/** What nobody told of is found after this long: a hint may be lost. */
const KEEP_MS = 1_000;
const MOST_KEPT = 10_000;

interface Known {
  readonly account: CloudAccount;
  readonly untilMs: number;
}

/**
 * Accounts that clusters are created with. They belong to another service, and many clusters are of one: what was found is kept for a second,
 * or until it is heard that the account has changed. That there is none is never kept. What is found is shared, and not to be changed.
 */
export class KnownAccounts implements References<CloudAccount> {
  private readonly known = new Map<string, Known>();
  private readonly finds: SharedFinds<CloudAccount>;
  /** A look that was begun before something changed is not kept. */
  private round = 0;

  constructor(
    private readonly client: Pick<TypedClient<CloudAccount>, 'find' | 'list'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.finds = new SharedFinds(client);
  }

  /** Forgets what others are heard to have changed. */
  listen(hints: HintBus): void {
    hints.subscribe(({ group, kind, namespace, name }) => {
      if (group === CLOUD_ACCOUNT.group && kind === CLOUD_ACCOUNT.kind) this.forget(name, namespace);
    });
  }

  /** Undefined when absent. */
  async find(name: string, namespace?: string): Promise<CloudAccount | undefined> {
    const key = keyOf(name, namespace);
    const known = this.known.get(key);
    if (known && this.now() < known.untilMs) return known.account;
    const { round } = this;
    const account = await this.finds.find(name, namespace);
    if (account && round === this.round) this.keep(key, account);
    return account;
  }

  list: References<CloudAccount>['list'] = (options) => this.client.list(options);

  /** Whoever looks from now on sees what is now. Without a name: all are forgotten. */
  forget(name: string | undefined, namespace: string | undefined): void {
    this.round += 1;
    if (name === undefined) this.known.clear();
    else this.known.delete(keyOf(name, namespace));
  }

  private keep(key: string, account: CloudAccount): void {
    if (this.known.size >= MOST_KEPT) this.known.clear();
    this.known.set(key, { account, untilMs: this.now() + KEEP_MS });
  }
}

function keyOf(name: string, namespace = ''): string {
  return `${namespace}/${name}`;
}
