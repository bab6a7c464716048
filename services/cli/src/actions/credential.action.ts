import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import { currentTokens } from '../login/current-tokens.js';

export async function runCredential(id: string): Promise<void> {
  const store = new CredentialStore(readCliEnvironment().credentialsDir);
  const { idToken, expiresAt } = await currentTokens({ store, id });
  const status = { token: idToken, expirationTimestamp: new Date(expiresAt).toISOString() };
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
  process.stdout.write(`${JSON.stringify(credential)}\n`);
}
