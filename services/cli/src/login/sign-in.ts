import { ApiClient } from '../client/api-client.js';
import { serverUrl } from '../client/server-url.js';
import { refuseOther, setWayIn, type Replacing } from '../kubeconfig/way-in.js';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { readGiven } from '../output/in-file.js';
import { credentialIdOf, pluginUser, type Plugin, type PluginUser } from './credential-plugin.js';
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
  readonly plugin: Plugin;
}

/** Signs a person in and gives kubectl a context that stays signed in. Throws Conflict where its name stands for something else. */
export async function signIn(options: SignInOptions): Promise<void> {
  const { caFile, context, kubeconfig, store } = options;
  const server = serverUrl(options.server);
  const id = credentialId(server, context);
  // Before a person is asked.
  refuseOther(await KubeconfigFile.read(kubeconfig), signInAs(context, id));
  const ca = caFile === undefined ? undefined : await readGiven(caFile);
  const offer = await findOffer(new ApiClient({ server, ca }), options.issuer);
  const tokens = await options.ask(await OidcClient.open(offer));
  await store.alone(id, () => store.save(id, { server, context, offer, tokens }));
  await writeContext(options, { server, ca, id });
}

/** The code, for a person who reads it off the terminal. */
export function describeCode({ userCode, url, completeUrl }: DeviceCode): string {
  return `Open ${url} and enter the code ${userCode}${completeUrl === undefined ? '' : `\nor open ${completeUrl}`}`;
}

/** Who signed in to another server is signed out first, or nobody would have the refresh token any more. */
function signInAs(context: string, id: string): Replacing<PluginUser> {
  return {
    name: context,
    isSame: ({ user }) => credentialIdOf(user) === id,
    remedy: `give another name with --context or another file with --kubeconfig, or end a sign-in of that name with: crate logout --context ${context}`,
  };
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
  await KubeconfigFile.update(kubeconfig, (file) => {
    refuseOther(file, signInAs(context, id));
    setWayIn(file, context, { cluster: { server, ...authority }, user: pluginUser(plugin, { id, server }) });
    file.currentContext = context;
  });
}
