import type { AddOn, Cluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { wanted } from './add-on.choice.js';

const SHOWN_USERS = 20;

/** Throws Conflict naming the clusters that ask for the add-on, or have it by default or because another one needs it. */
export async function refuseInUse({ metadata }: AddOn, clusters: Pick<TypedClient<Cluster>, 'list'>): Promise<void> {
  const { name } = metadata;
  const users = (await clusters.list()).filter((cluster) => isUser(cluster, name));
  if (users.length === 0) return;
  const shown = users.slice(0, SHOWN_USERS).map(nameOf);
  const message = `AddOn "${name}" is in use by ${clusterNames(users)}; take it out of these clusters first`;
  throw new PlatformError('Conflict', message, {
    retry: 'never',
    details: {
      group: 'lifecycle.crate.dev',
      kind: 'addons',
      name,
      reason: 'AddOnInUse',
      causes: shown.map((user) => ({ reason: 'InUse', field: 'spec.addOns', message: `cluster ${user}` })),
    },
  });
}

/** Names a few clusters of many. */
export function clusterNames(clusters: readonly Cluster[]): string {
  const shown = clusters.slice(0, SHOWN_USERS).map(nameOf);
  return shown.join(', ') + (clusters.length > shown.length ? ' and more' : '');
}

function isUser({ spec, status }: Cluster, name: string): boolean {
  return [...wanted(spec.addOns), ...(status?.addOns ?? [])].some((each) => each.name === name);
}

function nameOf({ metadata }: Cluster): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
