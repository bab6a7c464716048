import { ApiKeyTokens, type KeyName, type StoredToken } from '../api-key/api-key.repository.js';

/** Tokens of a test. */
export class InMemoryApiKeyTokens extends ApiKeyTokens {
  readonly all = new Map<string, StoredToken>();
  /** Look-ups so far. */
  finds = 0;
  /** What the next look-ups fail with. */
  failure: Error | undefined;

  override find(id: string): Promise<StoredToken | undefined> {
    this.finds += 1;
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(this.all.get(id));
  }

  override listOf({ project, name }: KeyName): Promise<readonly StoredToken[]> {
    const own = [...this.all.values()].filter((token) => token.project === project && token.name === name);
    return Promise.resolve(own.sort((a, b) => +b.issuedAt - +a.issuedAt || +b.expiresAt - +a.expiresAt));
  }

  override add(token: StoredToken, othersEndAt: Date): Promise<void> {
    for (const [id, other] of this.all) {
      const ends = other.keyUid === token.keyUid && other.expiresAt > othersEndAt;
      if (ends) this.all.set(id, { ...other, expiresAt: othersEndAt });
    }
    this.all.set(token.id, token);
    return Promise.resolve();
  }

  override touch(id: string, now: Date, notSince: Date): Promise<boolean> {
    const token = this.all.get(id);
    const isDue = token !== undefined && (!token.lastUsedAt || token.lastUsedAt < notSince);
    if (isDue) this.all.set(id, { ...token, lastUsedAt: now });
    return Promise.resolve(isDue);
  }

  override remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.all.delete(id);
    return Promise.resolve();
  }
}
