import { resolve } from 'node:path';
import { readCliEnvironment } from '../config.js';
import { argument } from '../output/argument.js';
import type { Credential } from './credential-store.js';

/** What a person copies to sign in again, to the same platform and into the same kubeconfig. */
export function loginLine({ server, context, issuer, kubeconfig }: Omit<Credential, 'offer' | 'tokens'>): string {
  const at = issuer === undefined ? '' : ` --issuer ${argument(issuer)}`;
  return `crate login --server ${server} --context ${argument(context)}${at}${kubeconfigFlag(kubeconfig)}`;
}

/** What a person copies to end a sign-in of this kubeconfig, and no other. */
export function logoutLine(context: string, kubeconfig: string): string {
  return `crate logout --context ${argument(context)}${kubeconfigFlag(kubeconfig)}`;
}

/** Nothing for the one that is taken anyway. */
function kubeconfigFlag(path: string | undefined): string {
  const [usual = ''] = readCliEnvironment().kubeconfigs;
  return path === undefined || resolve(path) === resolve(usual) ? '' : ` --kubeconfig ${argument(resolve(path))}`;
}
