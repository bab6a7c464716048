import { PlatformError } from '@crate/errors';
import type { DeleteOptions, FieldValidation, WriteOptions } from '@crate/resource-client';
import type { IncomingMessage } from 'node:http';
import { asDeleteOptions, type DeleteOptionsBody } from './document-shape.js';
import { flag, parameter } from './exchange.js';

const FIELD_VALIDATIONS: readonly string[] = ['Strict', 'Warn', 'Ignore'] satisfies FieldValidation[];
const PROPAGATION_POLICIES: readonly string[] = ['Background', 'Foreground', 'Orphan'];
const LONGEST_MANAGER = 128;
/** What Go's `unicode.IsPrint` takes. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** `userAgent` names the field manager of clients that do not. */
export function writeOptions(query: URLSearchParams, request: IncomingMessage): WriteOptions {
  const fieldValidation = oneOf(query, 'fieldValidation', FIELD_VALIDATIONS) as FieldValidation | undefined;
  return {
    dryRun: isDryRun(query.getAll('dryRun')),
    fieldManager: statedManager(query) ?? managerFromUserAgent(request),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
}

/** Options of the deletion of one object, as `deleteOptions` has them. In its query a version is the one that the object has to have. */
export function singleDeleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const options = deleteOptions(query, body);
  const uid = parameter(query, 'uid');
  const resourceVersion = parameter(query, 'resourceVersion');
  if (uid === undefined && resourceVersion === undefined) return options;
  return { ...options, preconditions: { ...preconditionsOf({ uid, resourceVersion }), ...options.preconditions } };
}

/**
 * Options of a delete: from the body, or from the query where the body is silent.
 * Source: Convert_url_Values_To_v1_DeleteOptions in https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/conversion.go
 */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const given = asDeleteOptions(body);
  const stated = given.propagationPolicy ?? oneOf(query, 'propagationPolicy', PROPAGATION_POLICIES);
  const leavesDependents = given.orphanDependents ?? flag(query, 'orphanDependents');
  const policy = stated ?? (leavesDependents ? 'Orphan' : undefined);
  if (policy !== undefined && !PROPAGATION_POLICIES.includes(policy)) {
    throw invalidOption('DeleteOptions', 'propagationPolicy', `Unsupported value: ${JSON.stringify(policy)}`);
  }
  return {
    dryRun: isDryRun(given.dryRun ?? query.getAll('dryRun')),
    ...(policy === undefined ? {} : { propagationPolicy: policy as NonNullable<DeleteOptions['propagationPolicy']> }),
    ...(given.preconditions ? { preconditions: preconditionsOf(given.preconditions) } : {}),
  };
}

function preconditionsOf({
  uid,
  resourceVersion,
}: NonNullable<DeleteOptionsBody['preconditions']>): NonNullable<DeleteOptions['preconditions']> {
  return { ...(uid == null ? {} : { uid }), ...(resourceVersion == null ? {} : { resourceVersion }) };
}

/** Throws InvalidSpec for anything else than `All`. */
export function isDryRun(values: readonly string[]): boolean {
  const other = values.find((value) => value !== 'All' && value !== '');
  if (other !== undefined) throw invalidOption('Options', 'dryRun', `Unsupported value: ${JSON.stringify(other)}`);
  return values.includes('All');
}

function oneOf(query: URLSearchParams, name: string, allowed: readonly string[]): string | undefined {
  const value = parameter(query, name);
  if (value === undefined || allowed.includes(value)) return value;
  const supported = allowed.map((option) => JSON.stringify(option)).join(', ');
  throw invalidOption('Options', name, `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`);
}

/** Source: ValidateFieldManager in https://github.com/kubernetes/apimachinery/tree/master/pkg/apis/meta/v1/validation */
function statedManager(query: URLSearchParams): string | undefined {
  const name = parameter(query, 'fieldManager');
  if (name === undefined) return undefined;
  if (Buffer.byteLength(name) > LONGEST_MANAGER) {
    throw invalidOption('Options', 'fieldManager', `Too long: may not be more than ${LONGEST_MANAGER} bytes`);
  }
  if (PRINTABLE.test(name)) return name;
  throw invalidOption('Options', 'fieldManager', 'Invalid value: should only contain printable characters');
}

function managerFromUserAgent(request: IncomingMessage): string {
  const agent = (request.headers['user-agent'] ?? '').split('/')[0]?.slice(0, 128) ?? '';
  return agent.replaceAll(/[^\x21-\x7e]+/g, '-') || 'unknown';
}

function invalidOption(kind: string, field: string, message: string): PlatformError {
  const causes = [{ reason: 'FieldValueInvalid', message, field }];
  return new PlatformError('InvalidSpec', `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    details: { group: 'meta.k8s.io', kind, causes },
  });
}
