import { badRequest } from '@crate/errors';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { MergedKubeconfig } from '../kubeconfig/merged-kubeconfig.js';
import { credentialIdOf, type PluginUser } from './credential-plugin.js';
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
  const { path, id } = await findSignIn(kubeconfigs, context);
  // Whoever refreshes the tokens would put them back.
  const credential = await store.alone(id, async () => {
    await forgetContext(path, context);
    const found = await store.find(id);
    await store.remove(id);
    return found;
  });
  const refreshToken = credential?.tokens.refreshToken;
  if (!credential || refreshToken === undefined) return undefined;
  try {
    await (await OidcClient.open(credential.offer)).revoke(refreshToken);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function findSignIn(paths: readonly string[], context: string): Promise<{ path: string; id: string }> {
  const found = (await MergedKubeconfig.read(paths)).find<PluginUser>('users', context);
  if (!found) throw badRequest(`No kubeconfig has a sign-in "${context}"; looked in ${paths.join(', ')}`);
  const { path, content } = found;
  const id = credentialIdOf(content);
  // A context that somebody else wrote is not ours to take away.
  if (id === undefined) throw badRequest(`${path} has no sign-in "${context}"`);
  return { path, id };
}

async function forgetContext(path: string, context: string): Promise<void> {
  await KubeconfigFile.update(path, (file) => {
    for (const section of ['contexts', 'users', 'clusters'] as const) file.remove(section, context);
  });
}
