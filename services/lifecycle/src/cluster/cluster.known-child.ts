import type { KubeObject, ManagedFieldsEntry } from '@crate/api';
import type { Draft, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { childMetadata, FIELD_MANAGER, resumeChild, uidOf, type ChildOwner } from './cluster.children.js';

/** What a child is to say. */
export interface ChildStatement {
  readonly spec: object;
  /** Of those it has, the ones that are stated; none are when left out. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * As `ensureChild`, for a child that this pass has found. Sends nothing where it says already what is to be stated, and nobody else has
 * stated any of it: whatever somebody changed is another, or is theirs.
 */
export async function ensureKnownChild<T extends KubeObject>(
  client: TypedClient<T>,
  owner: ChildOwner,
  known: T,
  { spec, annotations = {} }: ChildStatement,
): Promise<T> {
  const metadata = { ...childMetadata(owner, known.metadata.name), ...uidOf(known), annotations };
  const draft = { metadata, spec };
  return resumeChild(client, isStated(known, draft) ? known : await client.ensure(draft, FIELD_MANAGER));
}

function isStated(known: KubeObject, { metadata, spec }: Draft): boolean {
  const { labels, ownerReferences, managedFields = [] } = known.metadata;
  const isSame =
    jsonEqual(known['spec'], spec) &&
    jsonEqual(labels, metadata.labels) &&
    jsonEqual(ownerReferences, metadata.ownerReferences) &&
    jsonEqual(statedAnnotations(known), metadata.annotations);
  const managers = managedFields.filter(statesSpec);
  return isSame && managers.length > 0 && managers.every(isOurs);
}

/** Those that are ours, as they are now. */
function statedAnnotations({ metadata }: KubeObject): Record<string, string | undefined> {
  const { annotations = {}, managedFields = [] } = metadata;
  const names = managedFields.filter(isOurs).flatMap(({ fieldsV1 }) => annotationNames(fieldsV1));
  return Object.fromEntries(names.map((name) => [name, annotations[name]]));
}

/** Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
function annotationNames(fields: ManagedFieldsEntry['fieldsV1']): readonly string[] {
  const metadata = fields['f:metadata'] as Record<string, unknown> | undefined;
  const names = Object.keys(metadata?.['f:annotations'] ?? {});
  return names.filter((name) => name.startsWith('f:')).map((name) => name.slice('f:'.length));
}

function statesSpec({ fieldsV1 }: ManagedFieldsEntry): boolean {
  return 'f:spec' in fieldsV1;
}

function isOurs({ manager, operation }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply';
}
