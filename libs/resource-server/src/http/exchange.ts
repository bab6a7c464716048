import { badRequest } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourcePath } from './request-path.js';
import type { Responder } from './responder.js';
import { isStorable } from './storable.js';

/** One authenticated request and where its answer goes. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** A watch or a followed log, which goes on for as long as the client likes; limits and metrics count it as such. */
  readonly isFollowing: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly respond: Responder;
  readonly context: CallContext & { readonly signal: AbortSignal };
}

/** A query parameter that is present and not empty; throws BadRequest for text that nothing can hold. */
export function parameter(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  if (value !== null && !isStorable(value)) throw badRequest(`${name} must not contain NUL`);
  return value === null || value === '' ? undefined : value;
}

/**
 * True for anything but `0` and `false`, however that is written (Python's `False`), and for a parameter without a value.
 * Source: Convert_Slice_string_To_bool in https://github.com/kubernetes/apimachinery/blob/master/pkg/runtime/conversion.go
 */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * Whether a `GET` of a path is a watch. A subresource has none: there the parameter says nothing, as in Kubernetes. Taken for one, the right to a
 * subresource would show the whole object.
 */
export function wantsWatch(query: URLSearchParams, { subresource }: ResourcePath): boolean {
  return subresource === undefined && flag(query, 'watch');
}

/** A parameter that is a whole number; undefined when it is absent. Throws BadRequest. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const value = parameter(query, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${name} must be a whole number`);
  return Number(value);
}
