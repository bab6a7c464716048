import { badRequest } from '@crate/errors';
import { parseApiVersion } from '@crate/api';
import type { ApiClient } from './api-client.js';

/** What every document of a file must say. */
export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ResourceList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: never;
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
  readonly [field: string]: unknown;
}

/** The URL path of a document's object, by the API's own discovery. Throws BadRequest for a kind that it lacks. */
export async function resourcePath(client: ApiClient, document: Document): Promise<string> {
  const { group, version } = parseApiVersion(document.apiVersion);
  const base = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const list = await client.find<ResourceList>(base);
  const resource = list?.resources.find(({ kind, name }) => kind === document.kind && !name.includes('/'));
  if (!resource) throw badRequest(`The API serves no ${document.kind} in ${document.apiVersion}`);
  const { name, namespace } = document.metadata;
  const scope = resource.namespaced ? `/namespaces/${namespace ?? 'default'}` : '';
  return `${base}${scope}/${resource.name}/${name}`;
}
