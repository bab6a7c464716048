import type { KubeObject } from '@crate/api';
import { alreadyExists } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionHook } from './served-kind.js';

/**
 * Refuses a new object whose name is taken before the hooks after this one keep anything by the name: while one of that name is on its way
 * out, what is kept goes with it. Whoever finds the name free comes after that.
 */
export function refuseTakenName<T extends KubeObject>(client: Pick<TypedClient<T>, 'find' | 'kind'>): AdmissionHook {
  const { plural, group } = client.kind;
  return async ({ operation, object: { metadata } }) => {
    if (operation !== 'CREATE') return;
    if (await client.find(metadata.name, metadata.namespace)) throw alreadyExists(plural, metadata.name, group);
  };
}
