import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import { signOut } from '../login/sign-out.js';

export async function runLogout({
  context,
  kubeconfig,
}: {
  readonly context: string;
  readonly kubeconfig?: string;
}): Promise<void> {
  const environment = readCliEnvironment();
  const store = new CredentialStore(environment.credentialsDir);
  const kubeconfigs = kubeconfig === undefined ? environment.kubeconfigs : [kubeconfig];
  const failure = await signOut({ context, store, kubeconfigs });
  console.log(`Signed out; context ${context} is gone`);
  if (failure) console.error(`The issuer was not told: ${failure.message}`);
}
