import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { readCliEnvironment } from '../config.js';
import { CredentialStore } from '../login/credential-store.js';
import type { OidcClient, Tokens } from '../login/oidc-client.js';

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

/** Context, user and cluster in the kubeconfig, unless told otherwise. */
export const DEFAULT_CONTEXT = 'crate';

/** `crate login`: signs in at the issuer that the platform names, and has kubectl stay signed in. */
export function loginCommand(): Command {
  return new Command('login')
    .description('Sign in to a platform, and write a kubeconfig context that stays signed in')
    .requiredOption('--server <url>', 'the API, such as https://crate.example.com')
    .option('--ca-file <file>', 'PEM file with the authorities of the API; default: the well-known ones')
    .option('--issuer <name>', 'where to sign in, when the platform offers several')
    .option('--device', 'show a code to enter on another device, instead of opening a browser here')
    .option('--no-browser', 'print the address instead of opening it')
    .option('--redirect-port <port>', 'port that the browser comes back to; default: a free one', parsePort)
    .option('--context <name>', 'name in the kubeconfig', DEFAULT_CONTEXT)
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .action(login);
}

async function login(options: LoginOptions): Promise<void> {
  const environment = readCliEnvironment();
  const { server, caFile, issuer, context } = options;
  const kubeconfig = options.kubeconfig ?? environment.kubeconfigs[0] ?? '';
  // Loaded only now, so that every other command answers at once.
  const { signIn } = await import('../login/sign-in.js');
  const ask = (client: OidcClient): Promise<Tokens> => (options.device ? byDevice(client) : byBrowser(client, options));
  const store = new CredentialStore(environment.credentialsDir);
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const plugin = { command: process.execPath, args: [main] };
  await signIn({ server, caFile, issuer, context, kubeconfig, store, ask, plugin });
  console.log(`Signed in; context ${context} of ${kubeconfig} is the current one`);
}

async function byDevice(client: OidcClient): Promise<Tokens> {
  const { describeCode } = await import('../login/sign-in.js');
  return client.signInByDevice((code) => console.log(describeCode(code)));
}

async function byBrowser(client: OidcClient, { browser, redirectPort }: LoginOptions): Promise<Tokens> {
  const { openBrowser } = await import('../login/open-browser.js');
  return client.signInByBrowser(async (url) => {
    console.log(`Sign in at ${url}`);
    if (browser) await openBrowser(url, readCliEnvironment().browser);
  }, redirectPort);
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('Expected 1 to 65535.');
  return port;
}
