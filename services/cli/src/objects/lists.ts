import type { KubeList, KubeObject } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { AS_TABLE, type ServerTable } from './server-table.js';
import { collectionPath, objectPathOf, type Collection, type ServedKind } from './served-kinds.js';

const PAGE = 500;

/** Which objects of a kind are meant. */
export interface Selection {
  /** Absent: of all Projects. */
  readonly namespace?: string | undefined;
  /** Label selector. */
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Tables come with whole objects, not only with their metadata. */
  readonly withObjects?: boolean | undefined;
}

/** All objects of a kind that are selected. */
export async function listObjects(
  api: ApiClient,
  kind: ServedKind,
  selection: Selection,
): Promise<readonly KubeObject[]> {
  const pages = await pagesOf<KubeList>(api, kind, selection);
  // Items of a list do not say their kind, for they all have the same.
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return pages.flatMap(({ items }) => items.map((item) => ({ ...item, apiVersion, kind: kind.kind })));
}

/** The same as the API shows it to people. */
export async function listTable(api: ApiClient, kind: ServedKind, selection: Selection): Promise<ServerTable> {
  const pages = await pagesOf<ServerTable>(api, kind, selection, AS_TABLE);
  const [first] = pages;
  if (!first) throw new Error('A list has at least one page');
  return { ...first, rows: pages.flatMap(({ rows }) => rows) };
}

/** One object as a table of one row. */
export async function objectTable(
  api: ApiClient,
  kind: ServedKind,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<ServerTable> {
  return api.get<ServerTable>(objectPathOf(kind, name, namespace), AS_TABLE);
}

/** The query of a list or watch. */
export function selectionQuery({ selector, fieldSelector, withObjects }: Selection): URLSearchParams {
  return new URLSearchParams({
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(withObjects ? { includeObject: 'Object' } : {}),
  });
}

/** A list as it comes, page by page. */
export async function pagesOf<T extends { readonly metadata: { readonly continue?: string } }>(
  api: ApiClient,
  kind: Collection,
  selection: Selection,
  accept?: string,
): Promise<readonly T[]> {
  const query = selectionQuery(selection);
  query.set('limit', String(PAGE));
  const pages: T[] = [];
  for (;;) {
    const page = await api.get<T>(`${collectionPath(kind, selection.namespace)}?${query.toString()}`, accept);
    pages.push(page);
    if (!page.metadata.continue) return pages;
    query.set('continue', page.metadata.continue);
  }
}
