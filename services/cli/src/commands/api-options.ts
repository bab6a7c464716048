import type { Command } from 'commander';
import { readCliEnvironment } from '../config.js';
import type { ApiClient } from '../client/api-client.js';
import { currentApi } from '../kubeconfig/current-api.js';
import { DataDir } from '../up/data-dir.js';

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

export async function apiOf({ kubeconfig, context, dataDir }: ApiOptions): Promise<ApiClient> {
  const own = dataDir === undefined ? kubeconfig : new DataDir(dataDir).adminKubeconfig();
  return currentApi({ kubeconfigs: own === undefined ? readCliEnvironment().kubeconfigs : [own], context });
}
