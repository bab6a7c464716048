import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import type { ApiDocument } from './api-document.js';
import type { Tenant } from './tenant.js';

/** Requests that meet something need no more to choose from. */
const MOST_NAMES = 40;
const UID = /^[0-9a-f-]{36}$/;

/** What there is to ask for in a Project, and the uids by which it would be known to others. */
export async function knownOf(
  api: TargetCluster,
  document: ApiDocument,
  project: string,
): Promise<{ readonly names: Tenant['names']; readonly uids: readonly string[] }> {
  const names: Record<string, readonly string[]> = {};
  const uids = new Set<string>();
  for (const { path, apiVersion, kind, isNamespaced } of collectionsOf(document)) {
    const all = await api.list(apiVersion, kind, isNamespaced ? { namespace: project } : {});
    const own = all.items.filter((each) => kind !== 'Project' || each.metadata.name === project);
    names[path] = own.slice(0, MOST_NAMES).map(({ metadata }) => metadata.name);
    if (isNamespaced || kind === 'Project') for (const uid of own.flatMap(uidOf)) uids.add(uid);
  }
  return { names, uids: [...uids] };
}

interface Collection {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/** Where objects of each kind lie, as opposed to lists over all Projects: something in it can be asked for by name. */
export function collectionsOf({ operations }: ApiDocument): readonly Collection[] {
  const paths = new Set(operations.map(({ path }) => path));
  return operations.flatMap(({ path, method, kind }) => {
    const [, root, version] = /^\/(apis\/[^/]+|api)\/([^/{]+)\//.exec(path) ?? [];
    if (method !== 'GET' || root === undefined || version === undefined || !paths.has(`${path}/{name}`)) return [];
    const group = root === 'api' ? '' : `${root.slice('apis/'.length)}/`;
    return [{ path, apiVersion: `${group}${version}`, kind, isNamespaced: path.includes('{namespace}') }];
  });
}

/** The collection that a path asks something of, as the document has it. */
export function collectionAt(path: string, names: Tenant['names']): string | undefined {
  // An Infrastructure by another road.
  if (path.includes('{infrastructure}')) return Object.keys(names).find((each) => each.endsWith('/infrastructures'));
  const [collection = ''] = path.split('/{name}');
  return collection in names ? collection : undefined;
}

/** Some objects are made up for whoever reads them, and have none. */
function uidOf({ metadata: { uid } }: KubeObject): readonly string[] {
  return UID.test(uid ?? '') ? [uid] : [];
}
