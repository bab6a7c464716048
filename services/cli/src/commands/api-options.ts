import type { Command } from 'commander';
import { readCliEnvironment } from '../config.js';
import type { ApiClient } from '../client/api-client.js';
import { currentContext, type CurrentContext } from '../kubeconfig/current-api.js';
import { warnOnTerminal } from '../output/warnings.js';
import { DataDir } from '../up/data-dir.js';

const DEFAULT_NAMESPACE = 'default';

/** Which API a command talks to, and as whom. */
export interface ApiOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dataDir?: string;
}

/** Adds the options that choose an API. */
export function withApiOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .option('--context <name>', 'default: the current one')
    .option('--data-dir <dir>', 'as the administrator of the local platform on this directory');
}

/** Adds `-n`, for commands whose objects lie in a Project; absent, the context says which. */
export function withNamespaceOption(command: Command): Command {
  return command.option('-n, --namespace <project>', 'Project; default: the one of the context, or "default"');
}

export interface NamespaceOption {
  readonly namespace?: string;
}

export async function apiOf(options: ApiOptions): Promise<ApiClient> {
  return (await contextOf(options)).api;
}

/** Which API, as whom, in which Project. Warnings of the API are shown to the person. */
export async function contextOf(
  options: ApiOptions & NamespaceOption,
): Promise<CurrentContext & { namespace: string }> {
  const { kubeconfig, context, dataDir, namespace } = options;
  const own = dataDir === undefined ? kubeconfig : new DataDir(dataDir).adminKubeconfig();
  const kubeconfigs = own === undefined ? readCliEnvironment().kubeconfigs : [own];
  const found = await currentContext({ kubeconfigs, context });
  return {
    ...found,
    api: found.api.with({ warn: warnOnTerminal }),
    namespace: namespace ?? found.namespace ?? DEFAULT_NAMESPACE,
  };
}
