import type { StatefulSet } from './workload.js';

/** Who applies what this installer says. */
export const FIELD_MANAGER = 'crate-components';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Who else than this installer says which image the container has, as the API server keeps it; the last one of several. Undefined: nobody.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function setBy({ metadata }: StatefulSet, container: string): string | undefined {
  const path = ['f:spec', 'f:template', 'f:spec', 'f:containers', `k:{"name":"${container}"}`, 'f:image'];
  const owners = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => has(fieldsV1 as Fields | undefined, path));
  if (owners.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply')) return undefined;
  return [...owners].sort((left, right) => (left.time ?? '').localeCompare(right.time ?? '')).at(-1)?.manager;
}

function has(fields: Fields | undefined, path: readonly string[]): boolean {
  let place: unknown = fields;
  for (const member of path) place = (place as Fields | undefined)?.[member];
  return place !== undefined;
}
