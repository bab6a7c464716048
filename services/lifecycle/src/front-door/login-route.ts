import { readFile } from 'node:fs/promises';
import type { OidcIssuerOptions } from '@crate/auth';
import type { ExtraRoute } from '@crate/resource-server';

/** Where a client finds out how to sign in, before it is anybody. */
export const LOGIN_PATH = '/.well-known/crate-login';

/** One way to sign in. */
interface LoginIssuer {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource?: string;
  /** PEM of the authorities of the issuer, where they are not well known. */
  readonly certificateAuthority?: string;
}

/** Publishes the issuers that `crate login` may use. */
export async function loginRoute(issuers: readonly OidcIssuerOptions[]): Promise<ExtraRoute> {
  const offered = await Promise.all(issuers.map(offer));
  const document = { issuers: offered.filter((issuer) => issuer !== undefined) };
  return {
    isPublic: true,
    matches: (method, path) => method === 'GET' && path === LOGIN_PATH,
    handle: ({ respond }) => Promise.resolve(respond.object(200, document)),
  };
}

async function offer({ name, issuer, login, caFile }: OidcIssuerOptions): Promise<LoginIssuer | undefined> {
  if (!login) return undefined;
  const { clientId, scopes, resource } = login;
  return {
    ...{ name, issuer, clientId, scopes },
    ...(resource === undefined ? {} : { resource }),
    ...(caFile === undefined ? {} : { certificateAuthority: await readFile(caFile, 'utf8') }),
  };
}
