import { ADD_ON, type AddOn, type Cluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { invalidObject, jsonEqual } from '@crate/resource-server';
import { clusterNames } from './add-on.use.js';
import { atVersion, contentOf } from './add-on.versions.js';

/**
 * For an add-on whose content changes: throws InvalidSpec where its version was there with another content, be it as an earlier one, and
 * clusters stay on it, naming them. They would get the change all the same, and nothing would have what it was.
 */
export async function refuseInPlace(
  { metadata, spec }: AddOn,
  before: AddOn,
  clusters: Pick<TypedClient<Cluster>, 'list'>,
): Promise<void> {
  const { version } = spec;
  const kept = atVersion(before, version);
  if (!kept || jsonEqual(contentOf(kept.spec), contentOf(spec))) return;
  const isPinned = (cluster: Cluster): boolean =>
    cluster.spec.addOns.some((asked) => asked.name === metadata.name && asked.version === version);
  const pinned = (await clusters.list()).filter(isPinned);
  if (pinned.length === 0) return;
  const detail = `must be another one where anything that is installed changes: it is the version of ${clusterNames(pinned)}`;
  throw invalidObject(ADD_ON, metadata.name, [
    { path: ['spec', 'version'], value: version, reason: 'FieldValueInvalid', detail },
  ]);
}
