import { apiErrorOf, unreachable } from './api-error.js';
import { forgetEarlyAnswers, takeEarlyAnswer } from './early-answers.js';

/** How a request to the API differs from a plain GET of JSON. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
  /** Of the body; default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The platform answers within a minute, if only that it could not; a network that is silent says nothing at all. */
const LONGEST_WRITE_MS = 75_000;

type Listener = () => void;
const signedOut = new Set<Listener>();
const unanswered = new Set<Listener>();

/** Calls `listener` whenever the API says that nobody is signed in; returns how to stop. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Calls `listener` whenever a request had no answer at all; returns how to stop. */
export function onUnreachable(listener: Listener): () => void {
  unanswered.add(listener);
  return () => unanswered.delete(listener);
}

/**
 * Asks the public API with the session's cookie, which scripts cannot read; the header tells the front door that it is
 * this page that asks. A write that nobody answers fails after a while; whether it was done is not known then.
 * Throws ApiError.
 */
export async function apiFetch(path: string, request: ApiRequest = {}): Promise<Response> {
  const { signal } = request;
  const early = isPlain(request) ? takeEarlyAnswer(path, signal) : undefined;
  const response = await (early ?? ask(path, request)).catch(noAnswer(signal));
  if (response.ok) return response;
  if (response.status === 401) {
    forgetEarlyAnswers();
    for (const listener of signedOut) listener();
  }
  throw await apiErrorOf(response);
}

/** What no answer throws, or one that breaks off: ApiError, unless nobody waits for it any more. */
function noAnswer(signal: AbortSignal | undefined): (error: unknown) => never {
  return (error) => {
    if (signal?.aborted) throw error;
    for (const listener of unanswered) listener();
    throw unreachable(error);
  };
}

/** The body of an answer as JSON. Throws ApiError. */
export async function jsonOf<T>(response: Response, signal?: AbortSignal): Promise<T> {
  return (await response.json().catch(noAnswer(signal))) as T;
}

/** Whether it asks what a GET of JSON by the path alone does. */
function isPlain({ method = 'GET', body, accept = 'application/json' }: ApiRequest): boolean {
  return method === 'GET' && body === undefined && accept === 'application/json';
}

function ask(path: string, request: ApiRequest): Promise<Response> {
  const { method = 'GET', body, contentType, accept = 'application/json' } = request;
  const signal = request.signal ?? (method === 'GET' ? undefined : AbortSignal.timeout(LONGEST_WRITE_MS));
  return fetch(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      Accept: accept,
      'X-Crate-Console': '1',
      ...(body === undefined ? {} : { 'Content-Type': contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The answer as JSON. Throws ApiError. */
export async function apiJson<T>(path: string, request: ApiRequest = {}): Promise<T> {
  return jsonOf(await apiFetch(path, request), request.signal);
}

/** The answer as text. Throws ApiError. */
export async function apiText(path: string, request: ApiRequest = {}): Promise<string> {
  return (await apiFetch(path, { accept: 'text/plain', ...request })).text().catch(noAnswer(request.signal));
}
