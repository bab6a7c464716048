import { hasCode, isPlatformError, unauthenticated } from '@crate/errors';
import type { Credential, CredentialStore } from './credential-store.js';
import { loginLine } from './login-line.js';
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
  try {
    return await store.alone(id, async () => {
      // Somebody may have refreshed it, or signed out, while this process waited.
      const credential = await store.find(id);
      if (!credential) throw signedOut(known);
      return isGood(credential) ? credential.tokens : await renew(options, credential);
    });
  } catch (error) {
    // With the issuer away or the disk full, the last of the old token is better than nothing.
    const isOver = known.tokens.expiresAt <= now() || hasCode(error, 'Unauthenticated');
    if (isOver || !isPlatformError(error)) throw error;
    return known.tokens;
  }
}

async function renew(
  { store, id, refresh = askIssuer }: CurrentTokensOptions,
  credential: Credential,
): Promise<Tokens> {
  const { refreshToken } = credential.tokens;
  if (refreshToken === undefined) throw signedOut(credential);
  // Shown once, a refresh token is spent: not while what comes for it cannot be kept.
  await store.save(id, credential);
  const tokens = await refresh(credential, refreshToken).catch((error: unknown) => {
    throw hasCode(error, 'Unauthenticated') ? signedOut(credential, error) : error;
  });
  await store.save(id, { ...credential, tokens }).catch((error: Error) => {
    console.error(`crate: the next sign-in may have to be by hand: ${error.message}`);
  });
  return tokens;
}

async function askIssuer({ offer }: Credential, refreshToken: string): Promise<Tokens> {
  // Most calls find a good token, and kubectl waits for each of them.
  const { OidcClient } = await import('./oidc-client.js');
  return (await OidcClient.open(offer)).refresh(refreshToken);
}

function signedOut(credential: Credential | undefined, cause?: unknown): Error {
  const line = credential ? loginLine(credential) : 'crate login';
  return unauthenticated(`Not signed in any more; run: ${line}`, cause);
}
