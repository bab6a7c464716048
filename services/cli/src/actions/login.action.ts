import { fileURLToPath } from 'node:url';
import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import type { OidcClient, Tokens } from '../login/oidc-client.js';
import { openBrowser } from '../login/open-browser.js';
import { describeCode, signIn } from '../login/sign-in.js';

interface LoginOptions {
  readonly server: string;
  readonly caFile?: string;
  readonly issuer?: string;
  readonly context: string;
  readonly kubeconfig?: string;
  readonly device?: boolean;
  readonly browser: boolean;
  readonly redirectPort?: number;
}

export async function login(options: LoginOptions): Promise<void> {
  const environment = readCliEnvironment();
  const { server, caFile, issuer, context } = options;
  const kubeconfig = options.kubeconfig ?? environment.kubeconfigs[0] ?? '';
  const ask = (client: OidcClient): Promise<Tokens> => (options.device ? byDevice(client) : byBrowser(client, options));
  const store = new CredentialStore(environment.credentialsDir);
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const plugin = { command: process.execPath, args: [main] };
  await signIn({ server, caFile, issuer, context, kubeconfig, store, ask, plugin });
  console.log(`Signed in; context ${context} of ${kubeconfig} is the current one`);
}

async function byDevice(client: OidcClient): Promise<Tokens> {
  return client.signInByDevice((code) => console.log(describeCode(code)));
}

async function byBrowser(client: OidcClient, { browser, redirectPort }: LoginOptions): Promise<Tokens> {
  return client.signInByBrowser(async (url) => {
    console.log(`Sign in at ${url}`);
    if (browser) await openBrowser(url, readCliEnvironment().browser);
  }, redirectPort);
}
