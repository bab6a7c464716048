import type { JsonObject } from '@crate/api';
import { reference, SHARED } from './schema-names.js';

interface Failure {
  readonly name: string;
  readonly reason: string;
  readonly description: string;
  readonly message: string;
}

const FAILURES: Readonly<Record<number, Failure>> = {
  400: failure('BadRequest', 'The request cannot be read', 'the request body is not valid JSON'),
  401: failure('Unauthorized', 'Nobody is known by the credentials, or there are none', 'Unauthorized'),
  403: failure(
    'Forbidden',
    'The caller may not do this, or a rule denies it',
    'clusters.lifecycle.crate.dev is forbidden',
  ),
  404: failure(
    'NotFound',
    'There is no such object, or no such resource type',
    'clusters.lifecycle.crate.dev "demo" not found',
  ),
  405: failure('MethodNotAllowed', 'The resource does not offer this verb', 'the server does not allow this method'),
  406: failure(
    'NotAcceptable',
    'Nothing that is accepted can be produced',
    'only the following media types are accepted',
  ),
  409: failure(
    'Conflict',
    'The object exists already, has changed since, or is in use',
    'the object has been modified',
  ),
  410: failure(
    'Expired',
    'The version or page token is too old: list again',
    'The provided continue parameter is too old',
  ),
  413: failure('RequestEntityTooLarge', 'The body is larger than 3 MiB', 'Request entity too large'),
  415: failure(
    'UnsupportedMediaType',
    'The body is in a format that is not read here',
    'the body was in an unknown format',
  ),
  422: failure('Invalid', 'Fields are wrong; the causes name each of them', 'Cluster "demo" is invalid'),
  429: failure(
    'TooManyRequests',
    'Too many requests; try again after Retry-After',
    'Too many requests, try again later',
  ),
  500: failure('InternalError', 'A mistake of the server; quote the trace id', 'Internal error, quote the trace id'),
  503: failure(
    'ServiceUnavailable',
    'The owner of the kind does not answer; try again',
    'The service could not answer, try again',
  ),
  504: failure('Timeout', 'The owner of the kind did not answer in time; try again', 'No answer in time'),
};

/** What any authenticated request may meet. */
const ALWAYS = [401, 403, 404, 406, 429, 500, 503, 504];

/** The failures each verb may end in, besides those that any request may. */
export const FAILURES_OF = {
  get: [],
  list: [400, 410, 422],
  create: [400, 405, 409, 413, 415, 422],
  update: [400, 405, 409, 413, 415, 422],
  patch: [400, 405, 409, 413, 415, 422],
  delete: [400, 405, 409, 413, 415, 422],
  subresource: [400, 405, 409, 410, 422],
} as const;

/** References to what a request may end in, by code. */
export function failuresOf(codes: readonly number[]): JsonObject {
  const all = [...ALWAYS, ...codes].sort((left, right) => left - right);
  return Object.fromEntries(all.map((code) => [code, { $ref: `#/components/responses/${nameOf(code)}` }]));
}

/** Headers of every answer. */
export const HEADERS: JsonObject = {
  'x-trace-id': { description: 'Quote it when you ask for help', schema: { type: 'string' } },
};

/** Every failure as a response that operations refer to. */
export const FAILURE_RESPONSES: JsonObject = Object.fromEntries(
  Object.entries(FAILURES).map(([code, known]) => [known.name, responseOf(Number(code), known)]),
);

function failure(reason: string, description: string, message: string): Failure {
  return { name: reason, reason, description, message };
}

function nameOf(code: number): string {
  return FAILURES[code]?.name ?? '';
}

function responseOf(code: number, { reason, description, message }: Failure): JsonObject {
  const retry = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };
  const example = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  const schema = reference(SHARED.status);
  return {
    description,
    headers: code === 429 || code === 503 ? { ...HEADERS, ...retry } : HEADERS,
    content: { 'application/json': { schema, example }, 'application/yaml': { schema, example } },
  };
}
