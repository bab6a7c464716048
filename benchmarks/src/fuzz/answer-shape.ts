import { parse } from 'yaml';
import type { Finding, FuzzAnswer } from './judge.js';
import type { FuzzRequest } from './request-arbitrary.js';
import type { ResponseSchemas } from './response-schemas.js';

/** Where an answer differs from what the document says of it; every failure is a Status, whatever was asked. */
export function shapeFindings(request: FuzzRequest, answer: FuzzAnswer, schemas: ResponseSchemas): Finding[] {
  const { code, headers, body } = answer;
  if (request.method === 'HEAD' || code === 304 || code >= 500) return [];
  if (isWatch(request) && code === 200) return watchFindings(body);
  const type = headers['content-type'] ?? '';
  if (type.includes('x-ndjson')) return lineFindings(request, answer, schemas);
  const isDocument = type.includes('json') || type.includes('yaml');
  const wrong = isDocument ? documentFindings(request, answer, schemas) : [];
  return [...declared(request, answer, schemas), ...wrong];
}

function documentFindings(request: FuzzRequest, answer: FuzzAnswer, schemas: ResponseSchemas): Finding[] {
  const { code, headers, body } = answer;
  const value = parsed(body, headers['content-type'] ?? '');
  if (value === undefined) return [finding('schema', `unreadable: ${body.slice(0, 200)}`)];
  return code >= 400 ? statusFindings(value, code) : described(request, code, value, schemas);
}

/** Each line is a document of its own. */
function lineFindings(request: FuzzRequest, answer: FuzzAnswer, schemas: ResponseSchemas): Finding[] {
  const json = { ...answer, headers: { 'content-type': 'application/json' } };
  const lines = answer.body.split('\n').filter((line) => line !== '');
  const wrong = lines.flatMap((line) => documentFindings(request, { ...json, body: line }, schemas));
  return [...declared(request, answer, schemas), ...wrong.slice(0, 1)];
}

/** Hostile requests may have become requests for something else. */
function isOwn({ method, operation, kind }: FuzzRequest): boolean {
  return method === operation.method && kind !== 'hostile';
}

function declared(request: FuzzRequest, { code, body }: FuzzAnswer, schemas: ResponseSchemas): Finding[] {
  const { operation, headers } = request;
  if (!isOwn(request) || schemas.find(operation, code, headers['accept'])) return [];
  return [finding('undeclared', `${operation.id} answered ${code}: ${body.slice(0, 200)}`)];
}

function described(request: FuzzRequest, code: number, value: unknown, schemas: ResponseSchemas): Finding[] {
  const { operation, headers } = request;
  const schema = isOwn(request) ? schemas.find(operation, code, headers['accept']) : undefined;
  const wrong = schema && schemas.wrong(schema, value);
  return wrong === undefined ? [] : [finding('schema', `${operation.id} ${code}: ${wrong}`)];
}

function isWatch({ target, method }: FuzzRequest): boolean {
  const watch = new URLSearchParams(target.split('?', 2)[1]).get('watch');
  return method === 'GET' && watch !== null && watch !== '0' && watch.toLowerCase() !== 'false';
}

function watchFindings(body: string): Finding[] {
  for (const line of body.split('\n').filter((text) => text !== '')) {
    const event = parsed(line, 'json') as { type?: unknown; object?: unknown; page?: unknown } | undefined;
    // A watch of the fleet sends pages, and beats that hold nothing.
    const isWhole = event?.type === 'BEAT' || typeof (event?.object ?? event?.page) === 'object';
    if (typeof event?.type !== 'string' || !isWhole) return [finding('schema', line.slice(0, 200))];
  }
  return [];
}

function statusFindings(value: unknown, code: number): Finding[] {
  const { kind, status, message, reason, code: stated } = (value ?? {}) as Record<string, unknown>;
  const isStatus = kind === 'Status' && status === 'Failure' && stated === code && typeof reason === 'string';
  const isTold = typeof message === 'string' && message !== '';
  return isStatus && isTold ? [] : [finding('schema', `no Status: ${JSON.stringify(value).slice(0, 200)}`)];
}

function parsed(body: string, type: string): unknown {
  try {
    return type.includes('yaml') ? parse(body) : (JSON.parse(body) as unknown);
  } catch {
    return undefined;
  }
}

function finding(rule: Finding['rule'], detail: string): Finding {
  return { rule, detail };
}
