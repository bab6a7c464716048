import { Command } from 'commander';
import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import { DEFAULT_CONTEXT } from './login.command.js';

/** `crate logout`: ends a sign-in, here and at the issuer. */
export function logoutCommand(): Command {
  return new Command('logout')
    .description('End a sign-in: revoke it at the issuer, and take it out of the kubeconfig')
    .option('--context <name>', 'name in the kubeconfig', DEFAULT_CONTEXT)
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .action(async ({ context, kubeconfig }: { readonly context: string; readonly kubeconfig?: string }) => {
      const environment = readCliEnvironment();
      const { signOut } = await import('../login/sign-out.js');
      const store = new CredentialStore(environment.credentialsDir);
      const failure = await signOut({ context, store, kubeconfig: kubeconfig ?? environment.kubeconfigs[0] ?? '' });
      console.log(`Signed out; context ${context} is gone`);
      if (failure) console.error(`The issuer was not told: ${failure.message}`);
    });
}
