import { ADD_ON, type AddOn, type Cluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { invalidObject } from '@crate/resource-server';
import { clusterNames } from './add-on.use.js';

/**
 * For an add-on whose content changes: throws InvalidSpec where it keeps a version that clusters stay on, naming them. They would get the
 * change all the same, and nothing would have what it was.
 */
export async function refuseInPlace(
  { metadata, spec }: AddOn,
  before: AddOn,
  clusters: Pick<TypedClient<Cluster>, 'list'>,
): Promise<void> {
  const { version } = spec;
  if (version !== before.spec.version) return;
  const isPinned = (cluster: Cluster): boolean =>
    cluster.spec.addOns.some((asked) => asked.name === metadata.name && asked.version === version);
  const pinned = (await clusters.list()).filter(isPinned);
  if (pinned.length === 0) return;
  const detail = `must be another one where anything that is installed changes: it is the version of ${clusterNames(pinned)}`;
  throw invalidObject(ADD_ON, metadata.name, [
    { path: ['spec', 'version'], value: version, reason: 'FieldValueInvalid', detail },
  ]);
}
