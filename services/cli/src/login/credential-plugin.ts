/** How kubectl runs this program. */
export interface Plugin {
  readonly command: string;
  readonly args: readonly string[];
}

/** A user of a kubeconfig, as far as a sign-in is concerned. */
export interface PluginUser {
  readonly exec?: { readonly args?: readonly string[] };
}

const COMMAND = 'credential';

/** A user whose tokens come from a sign-in. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#ExecConfig */
export function pluginUser(
  { command, args }: Plugin,
  { id, server }: { readonly id: string; readonly server: string },
): PluginUser {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [...args, COMMAND, id],
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `Crate's command line is not where it was; sign in again with: crate login --server ${server}`,
  };
  return { exec };
}

/** Which sign-in a user stands for; undefined: none of this program. */
export function credentialIdOf(user: PluginUser | undefined): string | undefined {
  const args = user?.exec?.args ?? [];
  return args.includes(COMMAND) ? args[args.indexOf(COMMAND) + 1] : undefined;
}
