import type { KubeObject } from '@crate/api';
import { apiVersionOf } from '@crate/api';
import type { CallContext, WriteOptions } from '@crate/resource-client';
import { jsonEqual } from '../apply/json.js';
import { type ManagerKey, Managers } from '../apply/managed-fields.js';
import { managersOf, ownablePart, type Part, trackUpdate } from '../apply/ownership.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';

export interface StampInput {
  readonly kind: RegisteredKind;
  readonly part: Part;
  readonly live: KubeObject | undefined;
  readonly final: KubeObject;
  /** The writer, for an ordinary write; an apply has worked out ownership already. */
  readonly ownership: { readonly updater: ManagerKey; readonly base: Managers } | { readonly managers: Managers };
  readonly now: string;
}

/** The object with `metadata.managedFields` telling who owns what after this write. */
export function stamp(input: StampInput): KubeObject {
  const { kind, part, live, final, ownership, now } = input;
  const before = live ? managersOf(live) : Managers.NONE;
  const managers =
    'managers' in ownership
      ? ownership.managers
      : trackUpdate(live ? ownablePart(live, part) : {}, ownablePart(final, part), {
          schema: kind.fields,
          managers: ownership.base,
          updater: ownership.updater,
        });
  const managedFields = managers.toEntries(before, now);
  return { ...final, metadata: { ...final.metadata, ...(managedFields.length > 0 ? { managedFields } : {}) } };
}

/** Who an ordinary write counts for. */
export function updaterOf(kind: RegisteredKind, options: WriteOptions, context: CallContext): ManagerKey {
  return {
    name: options.fieldManager ?? context.caller.service ?? context.caller.user,
    operation: 'Update',
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
