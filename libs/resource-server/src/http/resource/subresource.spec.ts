import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import {
  CLUSTER,
  KUBECONFIG_SUBRESOURCE,
  LOGS_SUBRESOURCE,
  PLAN_SUBRESOURCE,
  type SubresourceDefinition,
} from '@crate/api';
import { conflict, notFound, unauthenticated, unavailable } from '@crate/errors';
import { subresourceFile, type LogChunk, type ReadLogOptions, type SubresourceQuery } from '@crate/resource-client';
import { startApiServer, type ApiServerFixture } from '../../fixtures/api-server.js';
import { aCluster, CONTEXT, localApi } from '../../fixtures/local-api.js';

const YAML = 'apiVersion: v1\nkind: Config\nclusters: []\n';

/** A log that is told in steps: what each read answers, or fails with. */
class PlayedLog {
  readonly asked: ReadLogOptions[] = [];
  steps: (Partial<LogChunk> | Error)[] = [];
  /** After the steps. */
  rest: Partial<LogChunk> = { isComplete: true };

  readonly readLog = async (_object: unknown, _ref: unknown, options: ReadLogOptions): Promise<LogChunk> => {
    this.asked.push(options);
    await setImmediate();
    const step = this.steps.shift() ?? this.rest;
    if (step instanceof Error) throw step;
    return { text: '', cursor: String(this.asked.length), isComplete: false, ...step };
  };
}

let log: PlayedLog;
let server: ApiServerFixture;
let kubeconfig: () => Promise<string>;
let asked: SubresourceQuery | undefined;
let verbs: string[];
/** Why nobody is let in any more. */
let ended: Error | undefined;
beforeEach(async () => {
  log = new PlayedLog();
  ended = undefined;
  verbs = [];
  kubeconfig = () => Promise.resolve(YAML);
  const fixture = localApi();
  const parameters = [{ name: 'format', description: 'Which', values: ['csv'] }];
  const file: SubresourceDefinition = { name: 'export', verbs: ['get'], parameters };
  const subresources = [KUBECONFIG_SUBRESOURCE, LOGS_SUBRESOURCE, PLAN_SUBRESOURCE, file];
  fixture.kinds.add({
    definition: { ...CLUSTER, subresources },
    subresources: {
      kubeconfig: () => kubeconfig(),
      logs: log,
      export: (_object, _ref, _context, query) => {
        asked = query;
        return Promise.resolve(subresourceFile('demo.csv', 'text/csv; charset=utf-8', 'a,b\r\n'));
      },
      plan: () => Promise.resolve({ kind: 'Plan', apiVersion: 'v1', total: 3 }),
    },
  });
  await fixture.api.create(CLUSTER, aCluster(), {}, CONTEXT);
  server = await startApiServer({
    fixture,
    lookAgainMs: 10,
    authenticate: () => (ended ? Promise.reject(ended) : Promise.resolve({ user: 'ada', groups: [] })),
    authorize: (_caller, { verb }) => Promise.resolve(void verbs.push(verb)),
    texts: { Plan: ({ total }: { total: number }) => `Plan: ${total} to create\n` },
  });
});
afterEach(() => server.close());

function get(subresource: string, accept?: string): Promise<Response> {
  const { namespace, name } = aCluster().metadata;
  const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${namespace}/clusters/${name}/${subresource}`;
  const headers = { authorization: 'Bearer ada-token', ...(accept === undefined ? {} : { accept }) };
  return fetch(`${server.url}${path}`, { headers });
}

describe('a log', () => {
  it('is sent to its end, as it is now', async () => {
    log.steps = [{ text: 'a\nb\n' }, { text: 'c\n' }, { text: '' }];
    const response = await get('logs');
    expect(await response.text()).toBe('a\nb\nc\n');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(log.asked.map(({ cursor, waitMs }) => [cursor, waitMs])).toEqual([
      [undefined, 0],
      ['1', 0],
      ['2', 0],
    ]);
  });

  it('is followed until nothing more comes', async () => {
    log.steps = [{ text: 'a\n' }, { text: '' }, { text: 'b\n' }, { text: '', isComplete: true }];
    expect(await (await get('logs?follow=true')).text()).toBe('a\nb\n');
    expect(log.asked.slice(1).every(({ waitMs }) => waitMs > 0)).toBe(true);
  });

  it('ends cleanly when the object goes', async () => {
    log.steps = [{ text: 'a\n' }, notFound('clusters', 'demo')];
    expect(await (await get('logs?follow=true')).text()).toBe('a\n');
  });

  it('goes on where its owner was away for a moment', async () => {
    log.steps = [{ text: 'a\n' }, unavailable('restarting'), { text: 'b\n' }];
    expect(await (await get('logs?follow=true')).text()).toBe('a\nb\n');
    expect(log.asked.map(({ cursor }) => cursor)).toEqual([undefined, '1', '1', '3']);
  });

  it.each([
    { reason: 'the credentials ended', end: () => (ended = unauthenticated()) },
    { reason: 'the server leaves', end: () => server.handler.endFollowing() },
  ])('is cut off when $reason, so that the follower comes again', async ({ end }) => {
    [log.steps, log.rest] = [[{ text: 'a\n' }], {}];
    const reader = (await get('logs?follow=true')).body?.getReader();
    const first = (await reader?.read())?.value as Uint8Array | undefined;
    expect(Buffer.from(first ?? []).toString()).toBe('a\n');
    end();
    await expect(reader?.read()).rejects.toThrow('terminated');
  });

  it('ends cleanly when it is complete, whoever is sent away just then', async () => {
    server.handler.endFollowing();
    log.steps = [{ text: 'a\n', isComplete: true }];
    expect(await (await get('logs?follow=true')).text()).toBe('a\n');
  });

  it('stops asking when the client is gone', async () => {
    log.steps = Array.from({ length: 100_000 }, () => ({ text: 'x'.repeat(1000) }));
    const response = await get('logs?follow=true');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await server.close();
    // A client that does not read holds the next question back: far from all of it was asked for.
    expect(log.asked.length).toBeLessThan(50_000);
    server = await startApiServer();
  });

  it.each([
    { query: 'tailLines=5&timestamps=true', want: { tailLines: 5, timestamps: true } },
    { query: 'sinceTime=2026-11-21t10:00:00z', want: { since: '2026-11-21T10:00:00Z' } },
    { query: 'tailLines=0', want: { tailLines: 0 } },
    { query: '', want: {} },
  ])('takes $query', async ({ query, want }) => {
    await (await get(`logs?${query}`)).text();
    expect(log.asked[0]?.query).toEqual(want);
  });

  it('takes a number of seconds', async () => {
    await (await get('logs?sinceSeconds=60')).text();
    expect(Date.now() - Date.parse(log.asked[0]?.query.since ?? '')).toBeGreaterThanOrEqual(60_000);
  });

  it.each(['tailLines=-1', 'tailLines=x', 'sinceTime=yesterday', 'sinceTime=2026-99-99T10:00:00Z', 'sinceSeconds=1.5'])(
    'refuses %s',
    async (query) => {
      const response = await get(`logs?${query}`);
      expect(response.status).toBe(400);
      expect(log.asked).toEqual([]);
    },
  );

  it('refuses with a Status what cannot be read at all', async () => {
    log.steps = [unavailable('cloud-mgmt is away')];
    expect((await get('logs?follow=true')).status).toBe(503);
  });
});

describe('a kubeconfig', () => {
  it.each([
    { accept: undefined, want: 'application/yaml', reason: 'nobody asked for anything else' },
    { accept: 'application/json, */*', want: 'application/yaml', reason: 'kubectl takes anything' },
    { accept: 'application/yaml', want: 'application/yaml', reason: 'it was asked for' },
    { accept: 'application/json', want: 'application/json', reason: 'nothing else is accepted' },
  ])('is $want for $accept: $reason', async ({ accept, want }) => {
    const response = await get('kubeconfig', accept);
    expect(response.headers.get('content-type')).toBe(want);
    const body = await response.text();
    if (want === 'application/yaml') expect(body).toBe(YAML);
    else expect(JSON.parse(body)).toEqual({ apiVersion: 'v1', kind: 'Config', clusters: [] });
  });

  it('has a file name, and stays in no cache', async () => {
    const { headers } = await get('kubeconfig');
    expect(headers.get('content-disposition')).toBe('attachment; filename="demo.kubeconfig"');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('says when to ask again while it is not there', async () => {
    kubeconfig = () => Promise.reject(conflict('Not yet', { retryAfterMs: 15_000 }));
    const response = await get('kubeconfig');
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, '15']);
  });
});

describe('asking for a watch of a subresource', () => {
  it.each([
    { subresource: 'kubeconfig', want: 'kind: Config' },
    { subresource: 'plan', want: '"kind":"Plan"' },
    { subresource: 'status', want: '"kind":"Cluster"' },
    { subresource: 'logs', want: '' },
  ])('gets $subresource alone, by the right to get it', async ({ subresource, want }) => {
    const text = await (await get(`${subresource}?watch=true&timeoutSeconds=1`)).text();
    expect(text).toContain(want);
    expect(text).not.toContain('ADDED');
    expect(verbs).toEqual(['get']);
  });
});

describe('a file', () => {
  it('is sent under its media type and name, to be saved', async () => {
    const response = await get('export');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="demo.csv"',
    });
    expect(await response.text()).toBe('a,b\r\n');
  });

  it('has only the parameters that are declared', async () => {
    await get('export?format=csv&other=1');
    expect(asked).toEqual({ format: 'csv' });
    const refused = await get('export?format=doc');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('format must be one of csv')]);
  });
});

describe('content with a form for people', () => {
  it.each([
    { path: 'plan', accept: undefined, want: '"total"' },
    { path: 'plan', accept: 'application/yaml', want: 'total: 3' },
    { path: 'plan', accept: 'text/plain', want: 'Plan: 3 to create\n' },
    { path: 'plan?format=text', accept: undefined, want: 'Plan: 3 to create\n' },
    { path: 'plan?format=json', accept: undefined, want: '"total"' },
  ])('is sent for $path, accepting $accept', async ({ path, accept, want }) => {
    expect(await (await get(path, accept)).text()).toContain(want);
  });
});
