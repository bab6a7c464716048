import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { isAbsence } from '../client/absence.js';
import type { ApiClient } from '../client/api-client.js';
import { deleteInTurn, goneOne } from '../objects/deletion.js';
import { readManifests } from '../objects/manifests.js';
import { objectPathOf, fullName, ServedKinds } from '../objects/served-kinds.js';
import { targetsOf } from '../objects/targets.js';
import type { Awaited } from '../objects/waiting.js';
import { Failures } from '../output/failures.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';
import { namedTargets, type NamedTarget } from './wait.action.js';
import { CASCADES } from '../commands/delete.command.js';

interface DeleteOptions extends ApiOptions, NamespaceOption {
  readonly filename: readonly string[];
  readonly selector?: string;
  readonly all?: true;
  readonly ignoreNotFound?: true;
  readonly cascade: keyof typeof CASCADES;
  readonly dryRun?: 'server';
  readonly wait: boolean;
  readonly timeout: number;
}

interface Meant extends Omit<DeleteOptions, 'namespace'> {
  readonly namespace: string;
  readonly isStated: boolean;
}

export async function runDelete(what: readonly string[], options: DeleteOptions): Promise<void> {
  const { api, namespace } = await contextOf(options);
  const named = await meant(api, what, { ...options, namespace, isStated: options.namespace !== undefined });
  const failures = new Failures();
  const deletions = named.map((each) => ({
    name: `${each.kind.singular}/${each.name}`,
    remove: async () => remove(api, each, options),
  }));
  if (options.wait && options.dryRun === undefined) await deleteInTurn(api, deletions, options.timeout, failures);
  else for (const { name, remove } of deletions) await failures.attempt(name, remove);
  failures.settle();
}

async function meant(api: ApiClient, what: readonly string[], options: Meant): Promise<readonly NamedTarget[]> {
  const { filename, namespace, isStated } = options;
  const kinds = await ServedKinds.load(api);
  if (filename.length === 0) {
    return namedTargets(api, targetsOf(kinds, what), { ...options, mayBeNone: options.ignoreNotFound });
  }
  if (what.length > 0) throw badRequest('Give files with -f, or names, not both');
  // What lies in a Project goes before the Project.
  return (await readManifests(filename, { kinds, namespace, isStated })).toReversed();
}

/** Undefined when there is nothing to wait for. */
async function remove(api: ApiClient, target: NamedTarget, options: DeleteOptions): Promise<Awaited | undefined> {
  const { kind, name, namespace } = target;
  const path = objectPathOf(kind, name, namespace);
  const isDryRun = options.dryRun !== undefined;
  try {
    const { uid } = (await api.get<KubeObject>(path)).metadata;
    await api.removeExisting(path, { propagationPolicy: CASCADES[options.cascade], dryRun: isDryRun, uid });
    console.log(`${fullName(kind)} "${name}" ${isDryRun ? 'would be deleted (dry run)' : 'is being deleted'}`);
    return goneOne(`${kind.singular}/${name}`, path, uid);
  } catch (error) {
    if (options.ignoreNotFound && isAbsence(error)) return undefined;
    throw error;
  }
}
