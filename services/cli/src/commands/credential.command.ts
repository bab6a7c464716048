import { Command } from 'commander';
import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import { currentTokens } from '../login/current-tokens.js';

/**
 * `crate credential`: what kubectl runs to get a token.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export function credentialCommand(): Command {
  return new Command('credential')
    .description('Print a token for kubectl, refreshing it first when it has to be')
    .argument('<id>', 'names the credential; in the kubeconfig that crate login wrote')
    .action(async (id: string) => {
      const store = new CredentialStore(readCliEnvironment().credentialsDir);
      const { idToken, expiresAt } = await currentTokens({ store, id });
      const status = { token: idToken, expirationTimestamp: new Date(expiresAt).toISOString() };
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
      process.stdout.write(`${JSON.stringify(credential)}\n`);
    });
}
