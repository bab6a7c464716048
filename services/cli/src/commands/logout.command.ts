import { Command } from 'commander';
import { DEFAULT_CONTEXT } from './login.command.js';
import { lazily } from './lazily.js';

/** `crate logout`: ends a sign-in, here and at the issuer. */
export function logoutCommand(): Command {
  return new Command('logout')
    .description('End a sign-in: revoke it at the issuer, and take it out of the kubeconfig')
    .option('--context <name>', 'name in the kubeconfig', DEFAULT_CONTEXT)
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .action(lazily(async () => (await import('../actions/logout.action.js')).runLogout));
}
