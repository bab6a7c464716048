import type { KubeObject, ManagedFieldsEntry } from '@crate/api';
import type { Draft, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { childMetadata, FIELD_MANAGER, resumeChild, uidOf, type ChildOwner } from './cluster.children.js';

/**
 * As `ensureChild`, for a child that a list has just brought. Sends nothing where it says already what is to be stated, and nobody else has
 * stated any of it: whatever somebody changed is another, or is theirs.
 */
export async function ensureKnownChild<T extends KubeObject>(
  client: TypedClient<T>,
  owner: ChildOwner,
  known: T,
  spec: object,
): Promise<T> {
  const draft = { metadata: { ...childMetadata(owner, known.metadata.name), ...uidOf(known) }, spec };
  return resumeChild(client, isStated(known, draft) ? known : await client.ensure(draft, FIELD_MANAGER));
}

function isStated(known: KubeObject, { metadata, spec }: Draft): boolean {
  const { labels, ownerReferences, managedFields = [] } = known.metadata;
  const isSame =
    jsonEqual(known['spec'], spec) &&
    jsonEqual(labels, metadata.labels) &&
    jsonEqual(ownerReferences, metadata.ownerReferences);
  const managers = managedFields.filter(statesSpec);
  return isSame && managers.length > 0 && managers.every(isOurs);
}

function statesSpec({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return 'f:spec' in fieldsV1;
}

function isOurs({ manager, operation }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply';
}
