import { ApiClient } from '../client/api-client.js';
import { serverUrl } from '../client/server-url.js';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { readGiven } from '../output/in-file.js';
import { credentialId, type CredentialStore } from './credential-store.js';
import { findOffer } from './login-offer.js';
import { OidcClient, type DeviceCode, type Tokens } from './oidc-client.js';

export interface SignInOptions {
  readonly server: string;
  /** File with the authorities of the server; absent: the well-known ones. */
  readonly caFile?: string | undefined;
  readonly issuer?: string | undefined;
  readonly context: string;
  readonly kubeconfig: string;
  readonly store: CredentialStore;
  /** How the person is asked. */
  readonly ask: (client: OidcClient) => Promise<Tokens>;
  /** How kubectl shall run the credential plugin. */
  readonly plugin: { readonly command: string; readonly args: readonly string[] };
}

/** Signs a person in and gives kubectl a context that stays signed in. */
export async function signIn(options: SignInOptions): Promise<void> {
  const { caFile, context, store } = options;
  const server = serverUrl(options.server);
  const ca = caFile === undefined ? undefined : await readGiven(caFile);
  const offer = await findOffer(new ApiClient({ server, ca }), options.issuer);
  const tokens = await options.ask(await OidcClient.open(offer));
  const id = credentialId(server, context);
  await store.alone(id, () => store.save(id, { server, context, offer, tokens }));
  await writeContext(options, { server, ca, id });
}

/** The code, for a person who reads it off the terminal. */
export function describeCode({ userCode, url, completeUrl }: DeviceCode): string {
  return `Open ${url} and enter the code ${userCode}${completeUrl === undefined ? '' : `\nor open ${completeUrl}`}`;
}

interface Written {
  readonly server: string;
  readonly ca: Buffer | undefined;
  readonly id: string;
}

async function writeContext(
  { kubeconfig, context, plugin }: SignInOptions,
  { server, ca, id }: Written,
): Promise<void> {
  const authority = ca === undefined ? {} : { 'certificate-authority-data': ca.toString('base64') };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: plugin.command,
    args: [...plugin.args, 'credential', id],
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `Crate's command line is not where it was; sign in again with: crate login --server ${server}`,
  };
  await KubeconfigFile.update(kubeconfig, (file) => {
    file.set('clusters', context, { server, ...authority });
    file.set('users', context, { exec });
    file.set('contexts', context, { cluster: context, user: context });
    file.currentContext = context;
  });
}
