import { type KubeObject, type OwnerReference, isJsonObject } from '@crate/api';
import type { NameFormat } from '../kinds/served-kind.js';
import type { FieldError, FieldPath } from './field-error.js';
import { type UnknownField, unknownFields } from './unknown-fields.js';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

const SUBDOMAIN_RULE = 'must be lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit';
const QUALIFIED_RULE =
  'must be letters, digits, "-", "_" and ".", at most 63, with an optional DNS subdomain and "/" before it';

/** Fields that people write, the likelier ones first. */
const WRITABLE = ['name', 'labels', 'annotations', 'namespace', 'generateName', 'finalizers', 'ownerReferences'];
/** Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ */
const FIELDS = new Set([
  ...WRITABLE,
  ...['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
  ...['managedFields', 'selfLink'],
]);

/** Fields that metadata does not have. */
export function unknownInMetadata(metadata: unknown): readonly UnknownField[] {
  if (!isJsonObject(metadata)) return [];
  const unknown = Object.keys(metadata).filter((name) => !FIELDS.has(name));
  const missing = WRITABLE.filter((name) => !Object.hasOwn(metadata, name));
  return unknownFields(
    unknown.map((name) => ['metadata', name]),
    () => missing,
  );
}

/**
 * Everything wrong with the metadata a client wrote.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ and .../labels/
 */
export function checkMetadata(metadata: Partial<KubeObject['metadata']>, nameFormat: NameFormat): FieldError[] {
  return [
    ...checkName(metadata.name, nameFormat),
    ...checkStrings(metadata.labels, ['metadata', 'labels'], checkLabel),
    ...checkStrings(metadata.annotations, ['metadata', 'annotations'], checkAnnotation),
    ...checkAnnotationsSize(metadata.annotations),
    ...checkFinalizers(metadata.finalizers),
    ...checkOwners(metadata.ownerReferences),
  ];
}

function checkName(name: unknown, format: NameFormat): FieldError[] {
  const path = ['metadata', 'name'];
  if (name === undefined || name === '') {
    return [{ path, reason: 'FieldValueRequired', detail: 'name or generateName is required' }];
  }
  if (typeof name !== 'string')
    return [{ path, value: name, reason: 'FieldValueTypeInvalid', detail: 'must be a string' }];
  const detail = nameProblem(name, format);
  return detail === undefined ? [] : [{ path, value: name, reason: 'FieldValueInvalid', detail }];
}

function nameProblem(name: string, format: NameFormat): string | undefined {
  if (format === 'pathSegment') {
    return name === '.' || name === '..' || /[/%]/.test(name)
      ? 'may not be "." or "..", nor hold "/" or "%"'
      : undefined;
  }
  if (format === 'dnsLabel') {
    return name.length <= 63 && LABEL.test(name)
      ? undefined
      : 'must be a DNS label: lower-case letters, digits and "-", at most 63';
  }
  return name.length <= 253 && SUBDOMAIN.test(name) ? undefined : `${SUBDOMAIN_RULE}, at most 253`;
}

function checkStrings(
  map: unknown,
  path: FieldPath,
  check: (key: string, value: string) => string | undefined,
): FieldError[] {
  if (map === undefined) return [];
  if (!isJsonObject(map)) return [{ path, value: map, reason: 'FieldValueTypeInvalid', detail: 'must be an object' }];
  return Object.entries(map).flatMap(([key, value]): FieldError[] => {
    if (typeof value !== 'string') {
      return [{ path: [...path, key], value, reason: 'FieldValueTypeInvalid', detail: 'must be a string' }];
    }
    const detail = check(key, value);
    return detail === undefined ? [] : [{ path: [...path, key], value, reason: 'FieldValueInvalid', detail }];
  });
}

/** What Kubernetes has against a label; undefined when nothing. Taints have keys and values like it. */
export function checkLabel(key: string, value: string): string | undefined {
  if (!isQualifiedName(key)) return `the key ${QUALIFIED_RULE}`;
  if (value === '' || (value.length <= 63 && QUALIFIED_PART.test(value))) return undefined;
  return 'must be empty or letters, digits, "-", "_" and ".", beginning and ending with a letter or digit, at most 63';
}

function checkAnnotation(key: string): string | undefined {
  return isQualifiedName(key.toLowerCase()) ? undefined : `the key ${QUALIFIED_RULE}`;
}

function checkAnnotationsSize(annotations: unknown): FieldError[] {
  if (!isJsonObject(annotations)) return [];
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  if (bytes <= ANNOTATIONS_LIMIT_BYTES) return [];
  const detail = `may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes`;
  return [{ path: ['metadata', 'annotations'], reason: 'FieldValueTooLong', detail }];
}

function checkFinalizers(finalizers: unknown): FieldError[] {
  if (finalizers === undefined) return [];
  const path = ['metadata', 'finalizers'];
  if (!Array.isArray(finalizers)) {
    return [{ path, value: finalizers, reason: 'FieldValueTypeInvalid', detail: 'must be an array' }];
  }
  return finalizers.flatMap((value: unknown, index) =>
    typeof value === 'string' && isQualifiedName(value)
      ? []
      : [{ path: [...path, index], value, reason: 'FieldValueInvalid' as const, detail: QUALIFIED_RULE }],
  );
}

function checkOwners(owners: unknown): FieldError[] {
  if (owners === undefined) return [];
  const path = ['metadata', 'ownerReferences'];
  if (!Array.isArray(owners)) {
    return [{ path, value: owners, reason: 'FieldValueTypeInvalid', detail: 'must be an array' }];
  }
  const missing = owners.flatMap((owner: Partial<OwnerReference>, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => typeof owner?.[field] !== 'string' || owner[field] === '')
      .map((field): FieldError => ({ path: [...path, index, field], reason: 'FieldValueRequired', detail: '' })),
  );
  const controllers = owners.filter((owner: Partial<OwnerReference>) => owner?.controller === true).length;
  if (controllers < 2) return missing;
  return [
    ...missing,
    { path, reason: 'FieldValueInvalid', detail: 'only one reference may have controller set to true' },
  ];
}

function isQualifiedName(key: string): boolean {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) return false;
  const [prefix, name] = second === undefined ? [undefined, first] : [first, second];
  if (prefix !== undefined && (prefix.length > 253 || !SUBDOMAIN.test(prefix))) return false;
  return name.length <= 63 && QUALIFIED_PART.test(name);
}
