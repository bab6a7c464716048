import { badRequest, PlatformError } from '@crate/errors';
import type { DeleteOptions, FieldValidation, ListOptions, WatchOptions, WriteOptions } from '@crate/resource-client';
import type { IncomingMessage } from 'node:http';
import { isObject } from '../apply/json.js';
import { flag, parameter } from './exchange.js';
import type { ResourcePath } from './request-path.js';

const FIELD_VALIDATIONS: readonly string[] = ['Strict', 'Warn', 'Ignore'] satisfies FieldValidation[];
const PROPAGATION_POLICIES: readonly string[] = ['Background', 'Foreground', 'Orphan'];

/** Query parameters as the verbs take them. Throws for values that Kubernetes refuses too. */
export function listOptions(query: URLSearchParams, path: ResourcePath): ListOptions {
  const limit = wholeNumber(query, 'limit');
  const token = parameter(query, 'continue');
  return {
    ...selectors(query, path),
    ...(limit === undefined || limit === 0 ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
  };
}

export function watchOptions(query: URLSearchParams, path: ResourcePath): WatchOptions {
  const resourceVersion = parameter(query, 'resourceVersion');
  const timeoutSeconds = wholeNumber(query, 'timeoutSeconds');
  const initial = parameter(query, 'sendInitialEvents');
  if (initial !== undefined && parameter(query, 'resourceVersionMatch') !== 'NotOlderThan') {
    throw invalidOption(
      'ListOptions',
      'resourceVersionMatch',
      'Forbidden: must be NotOlderThan with sendInitialEvents',
    );
  }
  return {
    ...selectors(query, path),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(timeoutSeconds ? { timeoutMs: timeoutSeconds * 1000 } : {}),
    ...(initial === undefined ? {} : { sendInitialEvents: flag(query, 'sendInitialEvents') }),
    allowBookmarks: flag(query, 'allowWatchBookmarks'),
  };
}

/** `userAgent` names the field manager of clients that do not. */
export function writeOptions(query: URLSearchParams, request: IncomingMessage): WriteOptions {
  const fieldValidation = oneOf(query, 'fieldValidation', FIELD_VALIDATIONS) as FieldValidation | undefined;
  return {
    dryRun: isDryRun(query.getAll('dryRun')),
    fieldManager: parameter(query, 'fieldManager') ?? managerFromUserAgent(request),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
}

/** Options of a delete: from the body, or from the query where the body is silent. */
export function deleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  if (body !== undefined && !isObject(body)) throw badRequest('the body of a delete must be DeleteOptions');
  const given = (body ?? {}) as {
    readonly dryRun?: readonly string[];
    readonly propagationPolicy?: string;
    readonly orphanDependents?: boolean;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  };
  const stated = given.propagationPolicy ?? oneOf(query, 'propagationPolicy', PROPAGATION_POLICIES);
  const policy = stated ?? (given.orphanDependents === true ? 'Orphan' : undefined);
  if (policy !== undefined && !PROPAGATION_POLICIES.includes(policy)) {
    throw invalidOption('DeleteOptions', 'propagationPolicy', `Unsupported value: ${JSON.stringify(policy)}`);
  }
  return {
    dryRun: isDryRun(given.dryRun ?? query.getAll('dryRun')),
    ...(policy === undefined ? {} : { propagationPolicy: policy as NonNullable<DeleteOptions['propagationPolicy']> }),
    ...(given.preconditions ? { preconditions: given.preconditions } : {}),
  };
}

function selectors(query: URLSearchParams, { namespace, name }: ResourcePath): ListOptions {
  const labelSelector = parameter(query, 'labelSelector');
  const stated = parameter(query, 'fieldSelector');
  // A watch on one object by its path is the watch on its type with its name selected.
  const fieldSelector = [stated, name && `metadata.name=${name}`].filter(Boolean).join(',');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === '' ? {} : { fieldSelector }),
  };
}

function isDryRun(values: readonly string[]): boolean {
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

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const value = parameter(query, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${name} must be a whole number`);
  return Number(value);
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
