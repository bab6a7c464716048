import { existsSync } from 'node:fs';
import { badRequest } from '@crate/errors';
import { readCliEnvironment } from '../config.js';
import type { ApiClient } from './api-client.js';
import { currentContext, type CurrentContext } from '../kubeconfig/current-api.js';
import { warnOnTerminal } from '../output/warnings.js';
import { DataDir } from '../up/data-dir.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';

const DEFAULT_NAMESPACE = 'default';

export async function apiOf(options: ApiOptions): Promise<ApiClient> {
  return (await contextOf(options)).api;
}

/** Which API, as whom, in which Project. Warnings of the API are shown to the person. */
export async function contextOf(
  options: ApiOptions & NamespaceOption,
): Promise<CurrentContext & { namespace: string }> {
  const { kubeconfig, context, dataDir, namespace } = options;
  const own = dataDir === undefined ? kubeconfig : administratorOf(dataDir);
  const kubeconfigs = own === undefined ? readCliEnvironment().kubeconfigs : [own];
  const found = await currentContext({ kubeconfigs, context });
  return {
    ...found,
    api: found.api.with({ warn: warnOnTerminal }),
    namespace: namespace ?? found.namespace ?? DEFAULT_NAMESPACE,
  };
}

/** Throws BadRequest where no platform has ever run. */
function administratorOf(dataDir: string): string {
  const path = new DataDir(dataDir).adminKubeconfig();
  if (existsSync(path)) return path;
  throw badRequest(`No platform has run on ${dataDir}: start one with crate up --data-dir ${dataDir}`);
}
