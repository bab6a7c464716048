import type { KubeObject, ManagedFieldsEntry } from '@crate/api';
import type { Draft, TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { childMetadata, FIELD_MANAGER, findChild, resumeChild, uidOf, type ChildOwner } from './cluster.children.js';

/** What a child is to say. */
export interface ChildStatement {
  readonly name: string;
  readonly spec: object;
  /** Of those it has, the ones that are stated; none are when left out. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Creates or updates the cluster's child so that what is stated holds, and lets it go on. Sends nothing where it says that already, and nobody
 * else has stated any of it: whatever somebody changed is another, or is theirs. Conflict when it is another one by now. Throws InvalidSpec
 * when the name is taken by something else.
 */
export async function ensureChild<T extends KubeObject>(
  client: TypedClient<T>,
  owner: ChildOwner,
  statement: ChildStatement,
): Promise<T> {
  return ensureKnownChild(client, owner, await findChild(client, owner.cluster, statement.name), statement);
}

/** As `ensureChild`, for a child that this pass has looked for: undefined where it is not there. */
export async function ensureKnownChild<T extends KubeObject>(
  client: TypedClient<T>,
  owner: ChildOwner,
  known: T | undefined,
  { name, spec, annotations = {} }: ChildStatement,
): Promise<T> {
  const metadata = { ...childMetadata(owner, name), ...uidOf(known), annotations };
  const draft = { metadata, spec };
  return resumeChild(client, known && isStated(known, draft) ? known : await client.ensure(draft, FIELD_MANAGER));
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
