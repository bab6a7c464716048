import { existsSync } from 'node:fs';
import { badRequest, conflict } from '@crate/errors';
import { readCliEnvironment } from '../config.js';
import type { ApiClient } from './api-client.js';
import { currentContext, type CurrentContext } from '../kubeconfig/current-api.js';
import { warnOnTerminal } from '../output/warnings.js';
import { ADMIN, OWN_CONTEXT } from '../up/kubeconfig.js';
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
  const { context, dataDir, namespace } = options;
  const found = await (dataDir === undefined ? chosen(options) : administratorOf(dataDir, context));
  return {
    ...found,
    api: found.api.with({ warn: warnOnTerminal }),
    // A kubeconfig may state an empty one, which is none.
    namespace: namespace ?? (found.namespace || DEFAULT_NAMESPACE),
  };
}

async function chosen({ kubeconfig, context }: ApiOptions): Promise<CurrentContext> {
  const kubeconfigs = kubeconfig === undefined ? readCliEnvironment().kubeconfigs : [kubeconfig];
  return currentContext({ kubeconfigs, context });
}

/**
 * Of the platform on the directory, whichever context its kubeconfig was given besides. Throws BadRequest where no platform has ever
 * run, and Conflict where another way in was written over the administrator's.
 */
async function administratorOf(dataDir: string, context = OWN_CONTEXT): Promise<CurrentContext> {
  const [path, start] = [new DataDir(dataDir).adminKubeconfig(), `crate up --data-dir ${dataDir}`];
  if (!existsSync(path)) throw badRequest(`No platform has run on ${dataDir}: start one with ${start}`);
  const found = await currentContext({ kubeconfigs: [path], context });
  if (context !== OWN_CONTEXT || found.user === ADMIN) return found;
  throw conflict(`${path} names another platform; write it anew with a start of the one on ${dataDir}: ${start}`);
}
