import type { ApiKey } from '@crate/api';
import {
  gone,
  Reconciler,
  saveStatusIfChanged,
  settled,
  waiting,
  type Outcome,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ApiKeyTokens, StoredToken } from './api-key.repository.js';
import { apiKeyStatus, endOf, type ApiKeyFacts } from './api-key.status.js';

/** Longest time a timer is trusted with. */
const LONGEST_WAIT_MS = 12 * 3_600_000;

/** Shows on an API key what became of its tokens, and forgets tokens that can never be good again. */
export class ApiKeyReconciler extends Reconciler {
  readonly name = 'api-key';

  constructor(
    private readonly keys: Pick<TypedClient<ApiKey>, 'find' | 'saveStatus'>,
    private readonly tokens: ApiKeyTokens,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  async reconcile({ name, namespace }: ReconcileKey): Promise<Outcome> {
    // Read first: whatever belongs to a key made after this was read is not among them.
    const all = await this.tokens.listOf({ project: namespace, name });
    const key = await this.keys.find(name, namespace);
    const own = all.filter(({ keyUid }) => keyUid === key?.metadata.uid);
    const [token] = own;
    await this.forget(all.filter((each) => each !== token && this.isOver(each, key)));
    if (!key) return gone;

    const facts = { key, token, lastUsedAt: newestUse(own) };
    await saveStatusIfChanged(this.keys, key, apiKeyStatus(facts, this.now()));
    return this.next(facts);
  }

  private isOver({ keyUid, expiresAt }: StoredToken, key: ApiKey | undefined): boolean {
    return keyUid !== key?.metadata.uid || expiresAt <= this.now();
  }

  private async forget(tokens: readonly StoredToken[]): Promise<void> {
    if (tokens.length > 0) await this.tokens.remove(tokens.map(({ id }) => id));
  }

  private next(facts: ApiKeyFacts): Outcome {
    const leftMs = (endOf(facts)?.getTime() ?? 0) - this.now().getTime();
    return leftMs > 0 ? waiting('WaitingForExpiry', Math.min(leftMs + 1_000, LONGEST_WAIT_MS)) : settled;
  }
}

/** Undefined when none was used. */
function newestUse(tokens: readonly StoredToken[]): Date | undefined {
  const uses = tokens.flatMap(({ lastUsedAt }) => lastUsedAt?.getTime() ?? []);
  return uses.length > 0 ? new Date(Math.max(...uses)) : undefined;
}
