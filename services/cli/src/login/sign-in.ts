import { resolve } from 'node:path';
import { serverUrl } from '../client/server-url.js';
import { refuseOther, setWayIn, type Replacing } from '../kubeconfig/way-in.js';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { credentialIdOf, pluginUser, type Plugin, type PluginUser } from './credential-plugin.js';
import { credentialId, type CredentialStore } from './credential-store.js';
import { logoutLine } from './login-line.js';
import { OidcClient, type DeviceCode, type Tokens } from './oidc-client.js';
import { findTrustedOffer } from './trusted-offer.js';

export interface SignInOptions {
  readonly server: string;
  /** File with the authorities of the server; absent: those of this sign-in as the kubeconfig has it, or the well-known ones. */
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
  const { context, issuer, store } = options;
  const kubeconfig = resolve(options.kubeconfig);
  const server = serverUrl(options.server);
  const id = credentialId(server, context);
  // Before a person is asked.
  const file = await KubeconfigFile.read(kubeconfig);
  refuseOther(file, signInAs(options, id));
  const { ca, offer } = await findTrustedOffer(file, { ...options, server, kubeconfig });
  const tokens = await options.ask(await OidcClient.open(offer));
  await store.alone(id, () =>
    store.save(id, { server, context, ...(issuer && { issuer }), kubeconfig, offer, tokens }),
  );
  await writeContext(options, { server, ca, id });
}

/** The code, for a person who reads it off the terminal. */
export function describeCode({ userCode, url, completeUrl }: DeviceCode): string {
  return `Open ${url} and enter the code ${userCode}${completeUrl === undefined ? '' : `\nor open ${completeUrl}`}`;
}

/** Who signed in to another server is signed out first, or nobody would have the refresh token any more. */
function signInAs({ context, kubeconfig }: SignInOptions, id: string): Replacing<PluginUser> {
  return {
    name: context,
    isSame: ({ user }) => credentialIdOf(user) === id,
    remedy: `give another name with --context or another file with --kubeconfig, or end a sign-in of that name with: ${logoutLine(context, kubeconfig)}`,
  };
}

interface Written {
  readonly server: string;
  readonly ca: Buffer | undefined;
  readonly id: string;
}

async function writeContext(options: SignInOptions, { server, ca, id }: Written): Promise<void> {
  const { kubeconfig, context, plugin } = options;
  const authority = ca === undefined ? {} : { 'certificate-authority-data': ca.toString('base64') };
  await KubeconfigFile.update(kubeconfig, (file) => {
    refuseOther(file, signInAs(options, id));
    setWayIn(file, context, { cluster: { server, ...authority }, user: pluginUser(plugin, { id, server }) });
    file.currentContext = context;
  });
}
