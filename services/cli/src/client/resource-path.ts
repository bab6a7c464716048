import { badRequest, hasCode } from '@crate/errors';
import { parseApiVersion } from '@crate/api';
import type { ApiClient } from './api-client.js';

/** What every document of a file must say. */
export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** The URL path of a document's object, by the API's own discovery. Throws BadRequest for a kind that it lacks. */
export async function resourcePath(client: ApiClient, document: Document): Promise<string> {
  const { group, version } = parseApiVersion(document.apiVersion);
  const base = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const resources = await resourcesOf(client, base);
  const resource = resources.find(({ kind, name }) => kind === document.kind && !name.includes('/'));
  if (!resource) throw badRequest(`The API serves no ${document.kind} in ${document.apiVersion}`);
  const { name, namespace } = document.metadata;
  const scope = resource.namespaced ? `/namespaces/${namespace ?? 'default'}` : '';
  return `${base}${scope}/${resource.name}/${name}`;
}

/** None of a version that is not served. */
async function resourcesOf(client: ApiClient, base: string): Promise<ResourceList['resources']> {
  try {
    return (await client.get<ResourceList>(base)).resources;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}
