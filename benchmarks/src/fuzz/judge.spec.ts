import { beforeEach, describe, expect, it } from '@jest/globals';
import { readDocument, type Operation } from './api-document.js';
import { Judge, type FuzzAnswer } from './judge.js';
import type { FuzzRequest } from './request-arbitrary.js';
import { ResponseSchemas } from './response-schemas.js';
import type { Tenant } from './tenant.js';
import type { World } from './world.js';

const PATH = '/apis/x.dev/v1/namespaces/{namespace}/things/{name}';
const THING = {
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
};
const DOCUMENT = readDocument({
  paths: {
    [PATH]: {
      get: {
        operationId: 'read',
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    schemas: { Thing: THING },
    responses: { NotFound: { content: { 'application/json': { schema: {} } } } },
  },
});

const tenant = (project: string): Tenant => ({
  project,
  cluster: 'known',
  secrets: [`uid-${project}`, `canary-${project}`],
  credential: `credential-${project}`,
  names: {},
});
const WORLD: World = { tenants: [tenant('a'), tenant('b')], callers: [] };
const NOT_FOUND = { kind: 'Status', status: 'Failure', message: 'no', reason: 'NotFound', code: 404 };

let judge: Judge;
beforeEach(() => {
  judge = new Judge(WORLD, new ResponseSchemas(DOCUMENT));
});

function request(change: Partial<FuzzRequest> = {}): FuzzRequest {
  const operation = DOCUMENT.operations[0] as Operation;
  const caller = { name: 'admin of a', weight: 1, token: 't', project: 'a' };
  return {
    kind: 'valid',
    caller,
    operation,
    method: 'GET',
    target: '/apis/x.dev/v1/namespaces/a/things/x',
    headers: {},
    ...change,
  };
}

function answer(code: number, body: unknown, change: Partial<FuzzAnswer> = {}): FuzzAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { code, body: text, headers: { 'content-type': 'application/json' }, milliseconds: 1, ...change };
}

const NOBODY = { name: 'nobody', weight: 1 };
const ADMIN = { name: 'root', weight: 1, token: 't', isAdmin: true };

describe('Judge', () => {
  it.each([
    { name: 'what the schema describes', given: answer(200, { size: 1 }) },
    { name: 'a Status of the same code', given: answer(404, NOT_FOUND) },
    { name: 'what belongs to the caller', given: answer(200, { size: 1, note: 'canary-a' }) },
    {
      name: 'text, which no schema describes',
      given: answer(200, 'ok', { headers: { 'content-type': 'text/plain' } }),
    },
  ])('lets $name pass', ({ given }) => {
    expect(judge.findings(request(), given)).toEqual([]);
  });

  it.each([
    { rule: 'server-error', given: answer(503, NOT_FOUND) },
    { rule: 'hang', given: answer(0, '', { broken: 'hang' }) },
    { rule: 'broken', given: answer(0, '', { broken: 'socket closed' }) },
    { rule: 'leak', given: answer(200, { size: 1, note: 'canary-b' }) },
    { rule: 'leak', given: answer(200, { size: 1, note: 'uid-b' }) },
    { rule: 'leak', given: answer(200, { size: 1, note: 'credential-a' }) },
    {
      rule: 'leak',
      given: answer(200, { size: 1 }, { headers: { 'content-type': 'application/json', warning: 'canary-b' } }),
    },
    { rule: 'schema', given: answer(200, { size: 0 }) },
    { rule: 'schema', given: answer(200, '{') },
    { rule: 'schema', given: answer(404, { ...NOT_FOUND, code: 400 }) },
    { rule: 'undeclared', given: answer(409, { ...NOT_FOUND, code: 409 }) },
    { rule: 'internals', given: answer(404, { ...NOT_FOUND, message: 'at Store.get (store.js:12)' }) },
  ])('finds $rule in $given.code $given.body', ({ rule, given }) => {
    expect(judge.findings(request(), given).map((finding) => finding.rule)).toContain(rule);
  });

  it.each([
    { rule: 'anonymous', sent: { caller: NOBODY } },
    { rule: 'anonymous', sent: { caller: NOBODY, target: '/audit/events' } },
    { rule: 'trespass', sent: { kind: 'foreign' as const, target: '/apis/x.dev/v1/namespaces/b/things/x' } },
  ])('finds $rule where something is given to who must not have it', ({ rule, sent }) => {
    expect(judge.findings(request(sent), answer(200, { size: 1 }))).toMatchObject([{ rule }]);
  });

  it('lets platform administrators see everything but credentials', () => {
    const sent = request({ caller: ADMIN, kind: 'foreign' });
    expect(judge.findings(sent, answer(200, { size: 1, note: 'canary-b' }))).toEqual([]);
    expect(judge.findings(sent, answer(200, { size: 1, note: 'credential-b' }))).toMatchObject([{ rule: 'leak' }]);
  });

  it('reads watches line by line', () => {
    const sent = request({ target: '/apis/x.dev/v1/namespaces/a/things?watch' });
    const line = JSON.stringify({ type: 'ADDED', object: {} });
    expect(judge.findings(sent, answer(200, `${line}\n${line}\n`))).toEqual([]);
    expect(judge.findings(sent, answer(200, '{"type":"PAGE","page":{}}\n{"type":"BEAT"}\n'))).toEqual([]);
    expect(judge.findings(sent, answer(200, '{"type":"PAGE"}\n'))).toMatchObject([{ rule: 'schema' }]);
    expect(judge.findings(sent, answer(200, `${line}\n{"type":1}\n`))).toMatchObject([{ rule: 'schema' }]);
    const list = request({ target: '/apis/x.dev/v1/namespaces/a/things?watch=False' });
    expect(judge.findings(list, answer(200, `${line}\n${line}\n`))).toMatchObject([{ rule: 'schema' }]);
  });

  it('reads lines of JSON one by one', () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    expect(judge.findings(request(), answer(200, '{"size":1}\n{"size":2}\n', { headers }))).toEqual([]);
    const cut = answer(200, '{"size":1}\n{"size":', { headers });
    expect(judge.findings(request(), cut)).toMatchObject([{ rule: 'schema' }]);
    const wrong = answer(200, '{"size":1}\n{"size":0}\n{"size":0}\n', { headers });
    expect(judge.findings(request(), wrong)).toMatchObject([{ rule: 'schema' }]);
  });
});
