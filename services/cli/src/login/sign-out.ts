import { badRequest } from '@crate/errors';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { MergedKubeconfig } from '../kubeconfig/merged-kubeconfig.js';
import type { CredentialStore } from './credential-store.js';
import { OidcClient } from './oidc-client.js';

export interface SignOutOptions {
  /** The sign-in is in the first that has the context's user. */
  readonly kubeconfigs: readonly string[];
  readonly context: string;
  readonly store: CredentialStore;
}

/**
 * Forgets a sign-in: here first, then at the issuer. Gives why the issuer could not be told, if so; the refresh token then lives
 * until the issuer ends it, and nobody here has it any more.
 */
export async function signOut({ kubeconfigs, context, store }: SignOutOptions): Promise<Error | undefined> {
  const id = await forgetContext(kubeconfigs, context);
  const credential = await store.find(id);
  await store.remove(id);
  const refreshToken = credential?.tokens.refreshToken;
  if (!credential || refreshToken === undefined) return undefined;
  try {
    await (await OidcClient.open(credential.offer)).revoke(refreshToken);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function forgetContext(paths: readonly string[], context: string): Promise<string> {
  const found = (await MergedKubeconfig.read(paths)).find('users', context);
  if (!found) throw badRequest(`No kubeconfig has a sign-in "${context}"; looked in ${paths.join(', ')}`);
  const { path } = found;
  return KubeconfigFile.update(path, (file) => {
    const user = file.find<{ exec?: { args?: readonly string[] } }>('users', context);
    const args = user?.exec?.args ?? [];
    const id = args[args.indexOf('credential') + 1];
    // A context that somebody else wrote is not ours to take away.
    if (!args.includes('credential') || id === undefined) throw badRequest(`${path} has no sign-in "${context}"`);
    for (const section of ['contexts', 'users', 'clusters'] as const) file.remove(section, context);
    return id;
  });
}
