import type { NodePool } from '@crate/api';
import type { ListOptions, WatchOptions } from '@crate/resource-client';
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@crate/resource-store';
import { parsePoolName } from './node-pool.view.js';

/** Which pools a list or a watch is about, and which clusters they can be in. */
export interface PoolSelection {
  readonly matches: (pool: NodePool) => boolean;
  /** For the list or watch of clusters. */
  readonly clusters: { readonly namespace?: string; readonly fieldSelector?: string };
}

/** Throws BadRequest for selectors that are none. */
export function poolSelection({ namespace, labelSelector, fieldSelector }: ListOptions | WatchOptions): PoolSelection {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const named = fields.flatMap(({ path, isEqual, value }) => (isEqual ? (clusterOf(path.join('.'), value) ?? []) : []));
  const [cluster] = named;
  return {
    matches: (pool) => matchesLabels(labels, pool.metadata.labels ?? {}) && matchesFields(fields, pool),
    clusters: {
      ...(namespace ? { namespace } : {}),
      ...(cluster === undefined ? {} : { fieldSelector: `metadata.name=${escaped(cluster)}` }),
    },
  };
}

/** The one cluster that a requirement leaves; undefined when it leaves all. */
function clusterOf(field: string, value: string): string | undefined {
  if (field === 'spec.clusterRef.name') return value;
  return field === 'metadata.name' ? parsePoolName(value)?.cluster : undefined;
}

function escaped(value: string): string {
  return value.replace(/[\\=,]/g, (character) => `\\${character}`);
}
