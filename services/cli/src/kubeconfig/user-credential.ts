import { dirname, resolve } from 'node:path';
import { badRequest } from '@crate/errors';
import type { ApiAddress } from '../client/api-transport.js';
import { keptToken, type IssuedToken } from '../client/token-source.js';
import { readGivenText } from '../output/in-file.js';
import { askPlugin, type ExecPlugin } from './exec-plugin.js';
import type { Found } from './merged-kubeconfig.js';
import { pemOf, requireKeyPair } from './pem.js';

/** How a kubeconfig says who somebody is. */
export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: ExecPlugin;
}

/** How an API lets in, and the token that it begins with. */
interface Credential {
  readonly lets: Pick<ApiAddress, 'token' | 'cert' | 'key'>;
  readonly token?: string;
}

/** What a header can hold. */
const TOKEN = /^[\x20-\x7e]*$/;

/** Throws BadRequest for an entry that cannot be used, and as a plugin does. */
export async function credentialOf({ content: user, path }: Found<KubeconfigUser>, name: string): Promise<Credential> {
  const whose = `the user "${name}" in ${path}`;
  const [cert, key] = await Promise.all([pemOf(user, 'client-certificate', path), pemOf(user, 'client-key', path)]);
  if (cert && key) {
    requireKeyPair(cert, key, whose);
    return { lets: { cert, key } };
  }
  const ask = async (): Promise<IssuedToken> => sendable(await tokenOf(user, path), whose);
  const first = await ask();
  return { lets: { token: keptToken(first, ask) }, token: first.token };
}

/** Blocks of YAML, files and plugins may end a token with a newline. */
function sendable(issued: IssuedToken, whose: string): IssuedToken {
  const token = issued.token.trim();
  if (TOKEN.test(token)) return { ...issued, token };
  throw badRequest(`The token of ${whose} has characters that none has, such as a line break`);
}

async function tokenOf(user: KubeconfigUser, path: string): Promise<IssuedToken> {
  // As YAML reads it, one of digits alone is a number.
  if (user.token !== undefined) return { token: String(user.token) };
  if (user.tokenFile !== undefined) return { token: await readGivenText(resolve(dirname(path), user.tokenFile)) };
  if (user.exec) return askPlugin(user.exec);
  throw badRequest(`${path} has a user with neither a token, nor a certificate, nor a credential plugin`);
}
