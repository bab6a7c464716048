import { timingSafeEqual } from 'node:crypto';
import type { ApiKey, Project } from '@crate/api';
import { BoundedCache, UserAuthenticator } from '@crate/auth';
import { hasCode, unauthenticated } from '@crate/errors';
import type { Caller, TypedClient } from '@crate/resource-client';
import { callerOfKey } from './api-key.caller.js';
import type { ApiKeyTokens, StoredToken } from './api-key.repository.js';
import { endOf } from './api-key.status.js';
import { digestOf, idOf } from './api-key.token.js';

/** A verdict is looked up anew after this time, without anyone waiting for it. */
const FRESH_MS = 800;
/** A verdict older than this counts for nothing: what was revoked is refused within this time, at every replica. */
const GOOD_MS = 1_600;
const REMEMBERED = 10_000;
const USE_NOTED_EVERY_MS = 5 * 60_000;

export interface ApiKeyAuthenticatorOptions {
  readonly tokens: ApiKeyTokens;
  readonly keys: Pick<TypedClient<ApiKey>, 'find'>;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  /** Told of the first use of a key in some minutes. */
  readonly onUse: (key: { readonly project: string; readonly name: string }) => Promise<void>;
  readonly now?: () => number;
  /** What ages are told by: a clock that nobody sets. Default `performance.now`. */
  readonly elapsed?: () => number;
}

/** Who shows a token, and until when it is good. */
interface Holder {
  readonly caller: Caller;
  readonly endsAt: number;
}

interface Verdict {
  readonly at: number;
  readonly holder: Promise<Holder>;
}

/**
 * Accepts tokens of API keys, by what Postgres says of them now. Verdicts are kept for a second or so, refusals too; nothing
 * has to reach this process for a revocation to count.
 */
export class ApiKeyAuthenticator extends UserAuthenticator {
  private readonly verdicts = new BoundedCache<Verdict>(REMEMBERED);
  private readonly renewing = new Set<string>();
  private readonly now: () => number;
  private readonly elapsed: () => number;

  constructor(private readonly options: ApiKeyAuthenticatorOptions) {
    super();
    this.now = options.now ?? Date.now;
    this.elapsed = options.elapsed ?? (() => performance.now());
  }

  /** Throws Unavailable, too, when nobody can tell. */
  override async authenticate(token = ''): Promise<Caller> {
    const id = idOf(token);
    if (id === undefined) throw refused('Not a token of an API key');
    const digest = digestOf(token);
    const key = digest.toString('base64');
    const known = this.verdicts.get(key);
    const age = known ? this.elapsed() - known.at : GOOD_MS;
    if (known && age >= FRESH_MS && age < GOOD_MS) this.renew(key, id, digest);
    const { caller, endsAt } = await (known && age < GOOD_MS ? known.holder : this.decide(key, id, digest));
    if (this.now() >= endsAt) throw refused('The token has expired');
    return caller;
  }

  private decide(key: string, id: string, digest: Buffer): Promise<Holder> {
    const at = this.elapsed();
    const holder = this.lookUp(id, digest);
    this.verdicts.set(key, { at, holder });
    return holder;
  }

  /** Looks again behind the back of those who are served; one look at a time, and a failed one changes nothing. */
  private renew(key: string, id: string, digest: Buffer): void {
    if (this.renewing.has(key)) return;
    this.renewing.add(key);
    const at = this.elapsed();
    const holder = this.lookUp(id, digest);
    const keep = (): unknown => this.verdicts.set(key, { at, holder });
    void holder
      .then(keep, (error: unknown) => (hasCode(error, 'Unauthenticated') ? keep() : undefined))
      .finally(() => this.renewing.delete(key));
  }

  private async lookUp(id: string, digest: Buffer): Promise<Holder> {
    const token = await this.options.tokens.find(id);
    if (!token || !timingSafeEqual(token.digest, digest)) throw refused('Unknown token');
    const [key, project] = await Promise.all([
      this.options.keys.find(token.name, token.project),
      this.options.projects.find(token.project),
    ]);
    if (project?.metadata.uid !== token.projectUid) throw refused('The Project of the key is gone');
    if (key?.metadata.uid !== token.keyUid || key.metadata.deletionTimestamp) throw refused('The key is gone');
    if (key.spec.disabled) throw refused('The key is disabled');
    const endsAt = endOf({ key, token })?.getTime() ?? 0;
    if (this.now() < endsAt) this.noteUse(token);
    return { caller: callerOfKey(key, id), endsAt };
  }

  private noteUse({ id, project, name, lastUsedAt }: StoredToken): void {
    const now = this.now();
    const notSince = now - USE_NOTED_EVERY_MS;
    if (lastUsedAt && lastUsedAt.getTime() >= notSince) return;
    const { tokens, onUse } = this.options;
    const noting = tokens.touch(id, new Date(now), new Date(notSince));
    // A use that could not be noted is noted with the next one.
    noting.then((isNoted) => (isNoted ? onUse({ project, name }) : undefined)).catch(() => undefined);
  }
}

function refused(reason: string): Error {
  return unauthenticated(undefined, new Error(reason));
}
