import type { KubeObject } from '@crate/api';
import type { FieldValidation } from '@crate/resource-client';
import { jsonEqual } from '../apply/json.js';
import type { Part } from '../apply/ownership.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { checkBody, warningsOf, type RestCheck } from '../validation/body.js';
import { type FieldError, invalidObject } from '../validation/field-error.js';
import { checkMetadata, unknownInMetadata } from '../validation/metadata.js';
import type { StoredBody } from '../validation/stored-fields.js';
import { bodyOf, withBody } from './candidate.js';

/** RBAC names may hold a colon; everything else is a DNS subdomain unless the kind says otherwise. */
const PATH_SEGMENT_GROUP = 'rbac.authorization.k8s.io';

export interface ValidateInput {
  readonly kind: RegisteredKind;
  readonly part: Part;
  readonly candidate: KubeObject;
  /** Metadata as it was written, of which the candidate has what metadata may have. Absent: it was looked at before. */
  readonly given?: unknown;
  /** The stored object, when there is one. */
  readonly live: KubeObject | undefined;
  readonly validation: FieldValidation;
}

/** The candidate pruned and defaulted; throws InvalidSpec naming every bad field, or BadRequest for unknown ones. */
export function validate(input: ValidateInput): { readonly object: KubeObject; readonly warnings: readonly string[] } {
  const { kind, part, candidate, live, validation } = input;
  const rest = part === 'status' ? { errors: [], unknown: [] } : checkObjectMetadata(input);
  const body = bodyOf(candidate, part);
  // What is stored already is not judged again: a rule made stricter must not block labels or finalizers.
  if (live && jsonEqual(body, bodyOf(live, part))) {
    return accept(input, rest.errors, candidate, warningsOf(kind, validation, rest));
  }
  const served = part === 'status' ? kind.statusOnly : kind;
  const checked = checkBody(served, body, validation, { ...rest, stored: storedBody(input) });
  return accept(input, checked.errors, withBody(candidate, checked.body, part), checked.warnings);
}

/** Absent for a kind that brings its schema: as a CustomResourceDefinition it prunes what it no longer has. */
function storedBody({ kind, part, live }: ValidateInput): StoredBody | undefined {
  return live && !kind.schema ? { body: bodyOf(live, part), schema: kind.fields } : undefined;
}

function accept(
  { kind, candidate }: ValidateInput,
  errors: readonly FieldError[],
  object: KubeObject,
  warnings: readonly string[],
): { readonly object: KubeObject; readonly warnings: readonly string[] } {
  if (errors.length > 0) throw invalidObject(kind.definition, candidate.metadata.name ?? '', errors);
  return { object, warnings };
}

function checkObjectMetadata({ kind, candidate, given, live }: ValidateInput): RestCheck {
  const { group } = kind.definition;
  const format = kind.nameFormat ?? (group === PATH_SEGMENT_GROUP ? 'pathSegment' : 'dnsSubdomain');
  // The name of a stored object cannot change, so it is judged once.
  const errors = checkMetadata(candidate.metadata, format);
  const relevant = live ? errors.filter((error) => error.path[1] !== 'name') : errors;
  const unknown = unknownInMetadata(given);
  return { errors: [...relevant, ...checkNewFinalizers(candidate, live)], unknown };
}

function checkNewFinalizers(candidate: KubeObject, live: KubeObject | undefined): FieldError[] {
  if (!live?.metadata.deletionTimestamp) return [];
  const before = new Set(live.metadata.finalizers);
  const added = (candidate.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return [];
  const detail = `no new finalizers can be added if the object is being deleted, found ${added.join(', ')}`;
  return [{ path: ['metadata', 'finalizers'], reason: 'FieldValueForbidden', detail }];
}
