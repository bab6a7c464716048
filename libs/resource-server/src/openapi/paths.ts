import { formatApiVersion, type JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { collectionPath, listOperation } from './collection-paths.js';
import { objectPath, statusPath } from './object-paths.js';
import { offersOf } from './offers.js';
import { NAME, NAMESPACE } from './parameters.js';
import { subresourcePath } from './subresource-paths.js';

/** The paths of one kind: only what it offers. */
export function pathsOf(kind: KindInfo): Record<string, JsonObject> {
  const { group, version, plural, namespaced } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${formatApiVersion(group, version)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const single = `${collection}/{name}`;
  const offers = offersOf(kind);
  const isListed = offers('list') || offers('watch');
  const scope = namespaced ? [NAMESPACE] : [];
  return present({
    ...(namespaced && isListed ? { [`${root}/${plural}`]: { get: listOperation(kind, 'AllNamespaces') } } : {}),
    [collection]: below(scope, collectionPath(kind, offers)),
    [single]: below([...scope, NAME], objectPath(kind, offers)),
    ...(kind.hasStatus ? { [`${single}/status`]: below([...scope, NAME], statusPath(kind, offers)) } : {}),
    ...Object.fromEntries(
      kind.subresources.map((subresource) => [
        `${single}/${subresource.name}`,
        below([...scope, NAME], subresourcePath(kind, subresource)),
      ]),
    ),
  });
}

function below(parameters: readonly JsonObject[], operations: JsonObject): JsonObject {
  if (Object.keys(operations).length === 0) return {};
  return { ...(parameters.length > 0 ? { parameters } : {}), ...operations };
}

function present(paths: Record<string, JsonObject>): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => Object.keys(path).length > 0));
}
