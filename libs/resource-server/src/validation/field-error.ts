import { invalidSpec, type ErrorCause, type PlatformError } from '@crate/errors';
import { type KindDefinition, isJsonObject } from '@crate/api';

/** A path into a document: field names and list indices. */
export type FieldPath = readonly (string | number)[];

/** One bad field, in the words Kubernetes uses. */
export interface FieldError {
  readonly path: FieldPath;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTooLong';
  /** What was expected, such as `must be at most 7`. */
  readonly detail: string;
  /** What was given; shown except where it may be a secret. */
  readonly value?: unknown;
  /** A secret belongs there: what stands in its stead, unless it is an object or a list, is not shown. */
  readonly isSecret?: boolean;
}

const PREFIX: Record<FieldError['reason'], string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueTooLong: 'Too long',
};

const SHOWN_LENGTH = 120;

/** The path as Kubernetes writes it: `spec.nodePools[0].name`, `metadata.labels[a.b/c]`. */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[A-Za-z0-9_-]+$/.test(step)) return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** One cause of a 422. */
export function toCause(error: FieldError): ErrorCause {
  return { reason: error.reason, message: describe(error), field: formatPath(error.path) };
}

/** The 422 that names every bad field. */
export function invalidObject(
  kind: Pick<KindDefinition, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): PlatformError {
  const causes = errors.map(toCause);
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = lines.length === 1 ? lines.join() : `[${lines.join(', ')}]`;
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return invalidSpec(`${qualified} "${name}" is invalid: ${list}`, causes, {
    group: kind.group,
    kind: kind.kind,
    name,
    ...(causes[0]?.field === undefined ? {} : { field: causes[0].field }),
  });
}

/** The value at `path`; undefined when nothing is there. */
export function valueAt(document: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)] as unknown;
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
}

function describe({ reason, path, detail, value, isSecret }: FieldError): string {
  if (reason === 'FieldValueRequired' || reason === 'FieldValueForbidden' || value === undefined) {
    return detail === '' ? PREFIX[reason] : `${PREFIX[reason]}: ${detail}`;
  }
  const isHidden = isSensitive(path) || (isSecret === true && typeof value !== 'object');
  return `${PREFIX[reason]}: ${isHidden ? '(hidden)' : shorten(value)}: ${detail}`;
}

/** A rejected credential must not come back in an error or a log. */
function isSensitive(path: FieldPath): boolean {
  return path.some((step) => /secret|password|token|credential|privatekey/i.test(String(step)));
}

function shorten(value: unknown): string {
  if (isJsonObject(value)) return '{…}';
  if (Array.isArray(value)) return '[…]';
  const text = JSON.stringify(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}
