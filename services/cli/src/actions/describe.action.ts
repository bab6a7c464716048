import type { KubeList, KubeObject } from '@crate/api';
import { isPlatformError, type PlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { describe } from '../objects/description.js';
import { objectPathOf, ServedKinds } from '../objects/served-kinds.js';
import { targetsOf } from '../objects/targets.js';
import { Failures } from '../output/failures.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';
import { namedTargets } from './wait.action.js';

/** Where events of objects without a namespace are kept. Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
const OF_NO_PROJECT = 'default';

interface DescribeOptions extends ApiOptions, NamespaceOption {
  readonly selector?: string;
}

export async function runDescribe(what: readonly string[], options: DescribeOptions): Promise<void> {
  const { api, namespace } = await contextOf(options);
  const targets = targetsOf(await ServedKinds.load(api), what);
  const isAll = targets.every(({ name }) => name === undefined) && options.selector === undefined;
  const named = await namedTargets(api, targets, { ...options, namespace, ...(isAll ? { all: true } : {}) });
  const failures = new Failures();
  const texts: string[] = [];
  for (const { kind, name, namespace: within } of named) {
    const text = await failures.attempt('', async () => {
      const object = await api.get<KubeObject>(objectPathOf(kind, name, within));
      return describe(object, await eventsOf(api, object));
    });
    if (text !== undefined) texts.push(text);
  }
  process.stdout.write(texts.join('\n'));
  failures.settle();
}

/** Or why they cannot be read: who may see an object may not see what is told of those without a Project. */
async function eventsOf(
  api: ApiClient,
  { kind, metadata }: KubeObject,
): Promise<readonly KubeObject[] | PlatformError> {
  const { name, namespace = OF_NO_PROJECT, uid } = metadata;
  // One of this name that was deleted has events of its own, for a day.
  const fields = `involvedObject.kind=${kind},involvedObject.name=${name},involvedObject.uid=${uid}`;
  const scope = `/namespaces/${encodeURIComponent(namespace)}`;
  try {
    return (await api.get<KubeList>(`/api/v1${scope}/events?fieldSelector=${encodeURIComponent(fields)}`)).items;
  } catch (error) {
    if (isPlatformError(error)) return error;
    throw error;
  }
}
