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

/** Whose the fields are that a page writes, unless its path says another name; a browser's own is that of every browser. */
const MANAGER = 'crate-console';
const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH'] satisfies ApiRequest['method'][];
/** The platform answers within a minute, if only that it could not; a network that is silent says nothing at all. */
const LONGEST_ANSWER_MS = 75_000;

type Listener = () => void;
const signedOut = new Set<Listener>();
const replaced = new Set<Listener>();
const unanswered = new Set<Listener>();
/** For whom this page asks. */
let person: string | undefined;

/** Says with every request from now on that it is of this person's page; undefined while nobody knows whose it is. */
export function askFor(user: string | undefined): void {
  person = user;
}

/** Calls `listener` whenever the API says that nobody is signed in; returns how to stop. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Calls `listener` whenever the API says that another person has signed in than this page asks for; returns how to stop. */
export function onReplaced(listener: Listener): () => void {
  replaced.add(listener);
  return () => replaced.delete(listener);
}

/** Calls `listener` whenever a request had no answer at all; returns how to stop. */
export function onUnreachable(listener: Listener): () => void {
  unanswered.add(listener);
  return () => unanswered.delete(listener);
}

/**
 * Asks the public API with the session's cookie, which scripts cannot read; the header tells the front door that it is
 * this page that asks. A write that nobody answers fails after a while; whether it was done is not known then. A GET may be a
 * stream, which lasts. Throws ApiError, also where `signal` ends by a timeout: then there was no answer.
 */
export function apiFetch(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET' } = request;
  return send(path, method === 'GET' ? request : limited(request));
}

/** The same, which nobody waits for longer than the platform can take. */
function limited(request: ApiRequest): ApiRequest & { readonly signal: AbortSignal } {
  const limit = AbortSignal.timeout(LONGEST_ANSWER_MS);
  return { ...request, signal: request.signal ? AbortSignal.any([request.signal, limit]) : limit };
}

async function send(path: string, request: ApiRequest): Promise<Response> {
  const { signal } = request;
  const early = isPlain(request) ? takeEarlyAnswer(path, signal) : undefined;
  const response = await (early ?? ask(path, request)).catch(noAnswer(signal));
  if (response.ok) return response;
  if (response.status === 401) {
    forgetEarlyAnswers();
    for (const listener of signedOut) listener();
  }
  const error = await apiErrorOf(response);
  if (error.causes.some(({ reason }) => reason === 'PageOfAnother')) for (const listener of replaced) listener();
  throw error;
}

/** What no answer throws, or one that breaks off: ApiError, unless nobody waits for it any more. */
function noAnswer(signal: AbortSignal | undefined): (error: unknown) => never {
  return (error) => {
    if (signal?.aborted && !isTimeout(signal.reason)) throw error;
    for (const listener of unanswered) listener();
    throw unreachable(error);
  };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
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
  const { method = 'GET', body, contentType, accept = 'application/json', signal } = request;
  return fetch(WRITES.includes(method) ? managed(path) : path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      Accept: accept,
      'X-Crate-Console': '1',
      ...(person === undefined ? {} : { 'X-Crate-Console-User': encodeURIComponent(person) }),
      ...(body === undefined ? {} : { 'Content-Type': contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Objects are below `/api` and `/apis`; the session is none. */
function managed(path: string): string {
  if (!/^\/apis?\//.test(path) || path.includes('fieldManager=')) return path;
  return `${path}${path.includes('?') ? '&' : '?'}fieldManager=${MANAGER}`;
}

/** The answer as JSON; fails after a while where nobody gives one, or only its beginning. Throws ApiError. */
export async function apiJson<T>(path: string, request: ApiRequest = {}): Promise<T> {
  const whole = limited(request);
  return jsonOf(await send(path, whole), whole.signal);
}

/** The answer as text. Throws ApiError. */
export async function apiText(path: string, request: ApiRequest = {}): Promise<string> {
  return (await apiFetch(path, { accept: 'text/plain', ...request })).text().catch(noAnswer(request.signal));
}
