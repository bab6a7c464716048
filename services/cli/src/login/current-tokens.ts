import { hasCode, unauthenticated } from '@crate/errors';
import type { Credential, CredentialStore } from './credential-store.js';
import type { Tokens } from './oidc-client.js';

/** A token that ends sooner is replaced first, so that it does not end on its way. */
const SPARE_MS = 60_000;

export interface CurrentTokensOptions {
  readonly store: CredentialStore;
  readonly id: string;
  readonly now?: () => number;
  /** Default: asks the issuer. */
  readonly refresh?: (credential: Credential, refreshToken: string) => Promise<Tokens>;
}

/** Tokens that are good now, refreshed when they have to be. Throws Unauthenticated when the person has to sign in again. */
export async function currentTokens(options: CurrentTokensOptions): Promise<Tokens> {
  const { store, id, now = Date.now } = options;
  const isGood = ({ tokens }: Credential): boolean => tokens.expiresAt - now() > SPARE_MS;
  const known = await store.find(id);
  if (!known) throw signedOut(undefined);
  if (isGood(known)) return known.tokens;
  return store.alone(id, async () => {
    // Somebody may have refreshed it while this process waited.
    const credential = (await store.find(id)) ?? known;
    return isGood(credential) ? credential.tokens : renew(options, credential);
  });
}

async function renew(
  { store, id, now = Date.now, refresh = askIssuer }: CurrentTokensOptions,
  credential: Credential,
): Promise<Tokens> {
  const { refreshToken, expiresAt } = credential.tokens;
  if (refreshToken === undefined) throw signedOut(credential);
  try {
    const tokens = await refresh(credential, refreshToken);
    await store.save(id, { ...credential, tokens });
    return tokens;
  } catch (error) {
    // With the issuer away, the last of the old token is better than nothing.
    if (hasCode(error, 'Unavailable') && expiresAt > now()) return credential.tokens;
    throw hasCode(error, 'Unauthenticated') ? signedOut(credential, error) : error;
  }
}

async function askIssuer({ offer }: Credential, refreshToken: string): Promise<Tokens> {
  // Most calls find a good token, and kubectl waits for each of them.
  const { OidcClient } = await import('./oidc-client.js');
  return (await OidcClient.open(offer)).refresh(refreshToken);
}

function signedOut(credential: Credential | undefined, cause?: unknown): Error {
  const server = credential ? ` --server ${credential.server} --context ${credential.context}` : '';
  return unauthenticated(`Not signed in any more; run: crate login${server}`, cause);
}
