import { Command } from 'commander';
import { lazily } from './lazily.js';

/**
 * `crate credential`: what kubectl runs to get a token.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export function credentialCommand(): Command {
  return new Command('credential')
    .description('Print a token for kubectl, refreshing it first when it has to be')
    .argument('<id>', 'names the credential; in the kubeconfig that crate login wrote')
    .action(lazily(async () => (await import('../actions/credential.action.js')).runCredential));
}
