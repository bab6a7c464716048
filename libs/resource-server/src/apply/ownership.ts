import { type KubeObject, isJsonObject, type JsonObject } from '@crate/api';
import { appliedFields } from './applied-fields.js';
import { allFields, compareFields, type Comparison } from './compare.js';
import { fieldManagerConflict } from './conflict.js';
import type { FieldSchema } from './field-schema.js';
import { FieldSet } from './field-set.js';
import { isBlank, withoutNulls } from './json.js';
import { type Manager, type ManagerKey, Managers } from './managed-fields.js';
import { mergeFields } from './merge.js';
import { removeFields } from './remove-fields.js';

/** Which part of an object a write may touch: everything but the status, the status alone, or both (kinds without the split). */
export type Part = 'main' | 'status' | 'whole';

/** Metadata the server owns; nobody else can. */
const SYSTEM_METADATA = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

const METADATA_ITSELF = FieldSet.of(['f:metadata']);

/** The fields of an object that managers can own through a write to `part`. */
export function ownablePart(object: JsonObject, part: Part): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, status, ...body } = object;
  if (part === 'status') return status === undefined ? {} : { status };
  // Blank metadata is never stored, so nobody can own that it is blank.
  const own = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(
    ([key, value]) => !SYSTEM_METADATA.includes(key) && !isBlank(value),
  );
  const shown = part === 'whole' && status !== undefined ? { status } : {};
  return withoutNulls({ ...body, ...shown, metadata: Object.fromEntries(own) }) as JsonObject;
}

export interface ApplyInput {
  readonly live: JsonObject;
  /** What the applier states, all of it. */
  readonly stated: JsonObject;
  readonly schema: FieldSchema;
  readonly managers: Managers;
  readonly applier: ManagerKey;
  readonly force: boolean;
}

/** What an apply makes of an object's ownable part, before defaulting. */
export interface Applied {
  readonly object: JsonObject;
  readonly managers: Managers;
}

/**
 * Server-side apply: merges what is stated, removes what this applier stated before and nobody else owns,
 * and moves ownership. Throws Conflict when a stated value differs from one that another manager owns, unless `force`.
 * Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/merge/update.go
 */
export function applyFields(input: ApplyInput): Applied {
  const { live, stated, schema, applier } = input;
  const before = seeded(input);
  const previous = before.find(applier)?.fields ?? FieldSet.EMPTY;
  const share: Manager = { ...applier, fields: appliedFields(stated, schema).difference(METADATA_ITSELF) };
  const shares = Managers.of([...before.others(applier), share]);

  const merged = mergeFields(live, stated, schema);
  const object = prune(merged, { previous, shares, schema });
  const changes = compareFields(live, object, schema);
  return { object, managers: Managers.of([share, ...lose(shares.others(applier), changes, input.force)]) };
}

export interface TrackOptions {
  readonly schema: FieldSchema;
  readonly managers: Managers;
  readonly updater: ManagerKey;
  /** Belongs to the writer where it belongs to nobody, though it was the same before. */
  readonly claimed?: FieldSet;
}

/** Who owns what after an ordinary write: the writer takes what it changed. */
export function trackUpdate(
  before: JsonObject,
  after: JsonObject,
  { schema, managers, updater, claimed = FieldSet.EMPTY }: TrackOptions,
): Managers {
  const changes = compareFields(before, after, schema);
  const owned = managers.find(updater)?.fields ?? FieldSet.EMPTY;
  const fields = owned
    .difference(changes.removed)
    .union(changes.modified)
    .union(changes.added)
    .union(managers.others(updater).reduce((free, { fields: theirs }) => free.difference(theirs), claimed))
    .difference(METADATA_ITSELF);
  return Managers.of([{ ...updater, fields }, ...lose(managers.others(updater), changes, true)]);
}

/**
 * Who owns what after a write that takes another one back: what it changes is the writer's no more than anybody's, and the body
 * belongs to those again that had it in `former`, also where the other write only left out what is filled in alike.
 */
export function trackReturn(
  before: JsonObject,
  { metadata, ...body }: JsonObject,
  options: { readonly schema: FieldSchema; readonly managers: Managers; readonly former: Managers },
): Managers {
  const { schema, managers, former } = options;
  const left = lose(managers.all, compareFields(before, { metadata, ...body }, schema), true);
  const owned = allFields(body, schema);
  const had = Managers.of(former.all.map((manager) => ({ ...manager, fields: manager.fields.intersection(owned) })));
  const both = left.map((manager) => {
    const fields = manager.fields.union(had.find(manager)?.fields ?? FieldSet.EMPTY);
    return { ...manager, fields };
  });
  return Managers.of([...had.all, ...both]);
}

/** The managed fields a stored object carries; a malformed entry counts as none. */
export function managersOf(object: Pick<KubeObject, 'metadata'>): Managers {
  return Managers.parse(object.metadata.managedFields) ?? Managers.NONE;
}

/** An object that nobody owned before its first apply gets an owner for all it has, so the apply cannot steal silently. */
function seeded({ live, schema, managers, applier }: ApplyInput): Managers {
  if (managers.all.length > 0) return managers;
  const fields = allFields(live, schema).difference(METADATA_ITSELF);
  return Managers.of([{ ...applier, name: 'before-first-apply', operation: 'Update', subresource: '', fields }]);
}

function lose(managers: readonly Manager[], changes: Comparison, force: boolean): Manager[] {
  const written = changes.modified.union(changes.added);
  // What the object did not have is taken from nobody: owners of it are left from when an unseen field, such as a secret, had some.
  const taken = changes.modified.union(changes.replaced);
  const conflicts = managers
    .map((manager) => ({ manager, fields: manager.fields.intersection(taken) }))
    .filter(({ fields }) => !fields.isEmpty);
  if (!force && conflicts.length > 0) throw fieldManagerConflict(conflicts);
  return managers.map((manager) => ({
    ...manager,
    fields: manager.fields.difference(written).difference(changes.removed),
  }));
}

/** Takes away what the applier owned before, unless someone (itself included) still owns it. */
function prune(
  merged: unknown,
  { previous, shares, schema }: { previous: FieldSet; shares: Managers; schema: FieldSchema },
): JsonObject {
  if (previous.isEmpty) return merged as JsonObject;
  const owned = shares.all.reduce((all, manager) => all.union(manager.fields), FieldSet.EMPTY).withParentFields();
  const had = appliedFields(merged, schema).withParentFields();
  const pruned = removeFields(merged, previous.withParentFields(), schema) ?? {};
  const left = appliedFields(pruned, schema).withParentFields();
  // Only what this applier owned may go: a field nobody owns, inside an object it owned, stays.
  const gone = had.difference(left.union(owned)).intersection(previous.withParentFields());
  return (removeFields(merged, gone, schema) ?? {}) as JsonObject;
}
