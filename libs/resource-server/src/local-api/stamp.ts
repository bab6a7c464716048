import type { KubeObject, JsonObject } from '@crate/api';
import { apiVersionOf } from '@crate/api';
import type { CallContext, WriteOptions } from '@crate/resource-client';
import { compareFields } from '../apply/compare.js';
import { claimedFields } from '../apply/claimed-fields.js';
import { jsonEqual } from '../apply/json.js';
import { type ManagerKey, Managers } from '../apply/managed-fields.js';
import { managersOf, ownablePart, type Part, trackReturn, trackUpdate } from '../apply/ownership.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { withSecretsShown } from './secrets-shown.js';

export interface StampInput {
  readonly kind: RegisteredKind;
  readonly part: Part;
  readonly live: KubeObject | undefined;
  readonly final: KubeObject;
  readonly ownership: Ownership;
  readonly now: string;
}

/** The writer, for an ordinary write; an apply has worked out ownership already. */
export type Ownership =
  | { readonly updater: ManagerKey; readonly base: Managers; readonly claims?: JsonObject | undefined }
  | { readonly applier: ManagerKey; readonly managers: Managers };

/** The object with `metadata.managedFields` telling who owns what after this write. */
export function stamp(input: StampInput): KubeObject {
  return withManagers(input, managersAfter(input));
}

/**
 * The finished object with the owners that `stated` was stamped with, less of what is not there any more: what hooks filled
 * in, or took out, belongs to nobody, so that they may change it later, and whoever comes to state it takes it without a conflict.
 */
export function stampPrepared(input: StampInput, stated: KubeObject): KubeObject {
  const { kind, part, final } = input;
  const { removed } = compareFields(ownablePart(stated, part), ownablePart(final, part), kind.fields);
  const owners = managersOf(stated).all.map((manager) => ({ ...manager, fields: manager.fields.difference(removed) }));
  const managers = Managers.of(owners);
  const { ownership } = input;
  if (!('applier' in ownership)) return withManagers(input, managers);
  return withManagers(input, withSecretsShown(managers, { ...input, applier: ownership.applier, stated }));
}

/** The object with its owners after a write that takes another one back; `document` names those that there were before that one. */
export function stampReturned(input: Omit<StampInput, 'ownership'>, document: KubeObject): KubeObject {
  const { kind, part, live, final } = input;
  const managers = trackReturn(live ? ownablePart(live, part) : {}, ownablePart(final, part), {
    schema: kind.fields,
    managers: live ? managersOf(live) : Managers.NONE,
    former: managersOf(document),
  });
  return withManagers(input, managers);
}

function managersAfter({ kind, part, live, final, ownership }: StampInput): Managers {
  if ('managers' in ownership) return ownership.managers;
  const { updater, base } = ownership;
  const claims = hasPreparation(kind, part) ? (ownership.claims ?? {}) : {};
  const after = ownablePart(final, part);
  const claimed = claimedFields(ownablePart(claims, part), after, kind.fields);
  return trackUpdate(live ? ownablePart(live, part) : {}, after, {
    schema: kind.fields,
    managers: base,
    updater,
    claimed,
  });
}

function withManagers({ live, final, now }: Omit<StampInput, 'ownership'>, managers: Managers): KubeObject {
  const before = live ? managersOf(live) : Managers.NONE;
  const managedFields = managers.toEntries(before, now);
  const { managedFields: _replaced, ...metadata } = final.metadata;
  return { ...final, metadata: { ...metadata, ...(managedFields.length > 0 ? { managedFields } : {}) } };
}

/** Whether hooks fill in what a write to this part of the object leaves out. */
export function hasPreparation({ prepare = [] }: RegisteredKind, part: Part): boolean {
  return part !== 'status' && prepare.length > 0;
}

/** Who a write counts for. */
export function writerOf(
  kind: RegisteredKind,
  operation: ManagerKey['operation'],
  { options, context }: { readonly options: WriteOptions; readonly context: CallContext },
): ManagerKey {
  return {
    name: options.fieldManager ?? context.caller.service ?? context.caller.user,
    operation,
    apiVersion: apiVersionOf(kind.definition),
    subresource: options.subresource ?? '',
  };
}

/**
 * The ownership an ordinary write starts from. A writer may edit it: a well-formed list replaces the stored one,
 * the list with one empty entry clears it, and leaving it out changes nothing.
 */
export function baseManagers(live: KubeObject | undefined, document: KubeObject, part: Part): Managers {
  const stored = live ? managersOf(live) : Managers.NONE;
  const stated = document.metadata.managedFields;
  if (part === 'status' || !stated || stated.length === 0) return stored;
  if (jsonEqual(stated, [{}])) return Managers.NONE;
  return Managers.parse(stated) ?? stored;
}
