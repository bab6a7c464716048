import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlatformError } from '@crate/errors';
import { InMemoryTracer, runInSpan, traceparentOf } from '@crate/telemetry';
import { HttpTargetCluster } from './http-target-cluster.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';
import { inventoryOf, pruneSet } from './inventory.js';
import { kubeconfigFor, formatKubeconfig } from './kubeconfig.js';
import { removeInventory } from './remove-inventory.js';
import { issueCertificate } from './testing/certificates.js';
import { TestApiServer, type TestResource } from './testing/api-server.js';
import { configMap, targetClusterContract } from './testing/target-cluster.contract.js';
import { isConnectionDown, isRefusal } from './transport-errors.js';

const INTERNAL_ERROR =
  '{"kind":"Status","code":500,"reason":"InternalError","message":"failed calling webhook \\"x\\""}';

targetClusterContract('HttpTargetCluster', async () => {
  const inside = new InMemoryTargetCluster();
  const server = await TestApiServer.start(inside);
  const cluster = new HttpTargetCluster(server.kubeconfig());
  const close = async (): Promise<void> => {
    await cluster.close();
    await server.stop();
  };
  return { cluster, inside, close };
});

describe('HttpTargetCluster', () => {
  let server: TestApiServer;
  let cluster: HttpTargetCluster;
  const options = { fieldManager: 'crate', force: true };
  beforeEach(async () => {
    server = await TestApiServer.start(new InMemoryTargetCluster());
    cluster = new HttpTargetCluster(server.kubeconfig('s3cret'), { discoveryPatienceMs: 300 });
  });
  afterEach(async () => {
    await cluster.close();
    await server.stop();
  });

  it('applies as kubectl does, with the credentials of the kubeconfig', async () => {
    await cluster.applyObject(configMap('a'), options);

    const patch = server.seen.find(({ method }) => method === 'PATCH');
    expect(patch?.url).toBe(
      '/api/v1/namespaces/default/configmaps/a?fieldManager=crate&force=true&fieldValidation=Strict',
    );
    expect(patch?.headers).toMatchObject({
      'content-type': 'application/apply-patch+yaml',
      authorization: 'Bearer s3cret',
    });
  });

  it('tells the cluster the trace that a request belongs to, and only while it is recorded', async () => {
    await cluster.applyObject(configMap('a'), options);
    expect(server.seen.some(({ headers }) => 'traceparent' in headers)).toBe(false);

    const tracer = new InMemoryTracer();
    await runInSpan(tracer.begin('pass'), {}, () => cluster.applyObject(configMap('b'), options));
    const span = tracer.get('PATCH');
    expect(server.seen.at(-1)?.headers).toMatchObject({ traceparent: traceparentOf(span) });
    expect(span).toMatchObject({ kind: 'client', isEnded: true, parentSpanId: tracer.get('pass').place.parentId });
    expect(span.attributes).toEqual({
      'http.request.method': 'PATCH',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
      'url.path': '/api/v1/namespaces/default/configmaps/b',
    });
    expect(JSON.stringify(span.attributes)).not.toContain('s3cret');
  });

  it('keeps its connections open and asks for discovery once', async () => {
    for (let round = 0; round < 20; round += 1) await cluster.applyObject(configMap('a'), options);

    expect(server.connections).toBeLessThanOrEqual(2);
    expect(server.seen.filter(({ url }) => url === '/api/v1')).toHaveLength(1);
  });

  it('waits for a kind that is not served yet, as just after its CRD was applied', async () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    const applied = cluster.applyObject(widget, options);
    while (!server.seen.some(({ url }) => url === '/apis/example.com/v1')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    server.resources.push({ apiVersion: 'example.com/v1', kind: 'Widget', name: 'widgets', namespaced: false });

    expect(await applied).toMatchObject({ kind: 'Widget' });
  });

  it('says so when a kind stays unknown, and takes its objects for absent', async () => {
    const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' };
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };

    await expect(cluster.applyObject(widget, options)).rejects.toMatchObject({
      code: 'NotFound',
      details: { reason: 'KindNotServed' },
    });
    expect(await cluster.find(ref)).toBeUndefined();
    await expect(cluster.remove(ref)).resolves.toBeUndefined();
  });

  it.each([{ isKnown: true }, { isKnown: false }])(
    'finds and removes what was made by a version that an upgrade took away (known before: $isKnown)',
    async ({ isKnown }) => {
      const serve = (version: string): TestResource => ({
        ...{ apiVersion: `policy/${version}`, kind: 'PodDisruptionBudget', name: 'budgets', namespaced: true },
      });
      const made = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a', namespace: 'apps' } };
      const old = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', name: 'a', namespace: 'apps' };
      server.resources.push(serve('v1'), serve('v1beta1'));
      await cluster.applyObject(made, options);
      if (isKnown) await cluster.find(old);
      server.resources.pop();

      expect(await cluster.find(old)).toMatchObject({ metadata: { name: 'a' } });
      await cluster.remove(old);
      expect(await cluster.find(old)).toBeUndefined();
      expect(await cluster.find({ ...old, apiVersion: 'policy/v1' })).toBeUndefined();
    },
  );

  it('puts objects without a namespace into default', async () => {
    await cluster.applyObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, options);

    expect(server.seen.at(-1)?.url).toContain('/namespaces/default/');
  });

  it.each([
    { name: 'that is left out where it is default', ...{ apiVersion: 'v1', kind: 'ConfigMap' }, namespace: 'default' },
    { name: 'that is stated of what has none', ...{ apiVersion: 'v1', kind: 'Node' }, namespace: 'apps' },
  ])('takes nothing away for a namespace $name', async ({ apiVersion, kind, namespace }) => {
    const [bare, placed] = [{ name: 'a' }, { name: 'a', namespace }].map((metadata) => ({
      apiVersion,
      kind,
      metadata,
    }));
    const signal = AbortSignal.timeout(60_000);
    for (const [before, after] of [
      [bare!, placed!],
      [placed!, bare!],
    ]) {
      await cluster.applyObject(after!, options);
      const stated = inventoryOf([after!]);
      expect(await removeInventory(cluster, pruneSet(inventoryOf([before!]), stated), { stated, signal })).toEqual([]);
      expect(await cluster.find(stated[0]!)).toBeDefined();
    }
  });

  it.each([
    { status: 401, body: '{}', code: 'Unauthenticated', reason: 'KubeconfigRejected' },
    {
      status: 403,
      body: '{"kind":"Status","reason":"Forbidden","message":"no"}',
      code: 'Forbidden',
      reason: undefined,
    },
    { status: 409, body: '{"kind":"Status","reason":"Conflict"}', code: 'Conflict', reason: undefined },
    { status: 422, body: '{"kind":"Status","reason":"Invalid"}', code: 'InvalidSpec', reason: undefined },
    { status: 429, body: '{"kind":"Status","reason":"TooManyRequests"}', code: 'TooManyRequests', reason: undefined },
    { status: 403, body: '{"kind":"Status","reason":"Interrupted"}', code: 'Forbidden', reason: undefined },
    { status: 406, body: '{"kind":"Status","reason":"NotAcceptable"}', code: 'Unavailable', reason: 'NotAcceptable' },
    { status: 500, body: '{"kind":"Status"}', code: 'Unavailable', reason: 'ClusterError' },
    { status: 500, body: INTERNAL_ERROR, code: 'Unavailable', reason: 'ClusterError' },
    { status: 502, body: '<html>bad gateway</html>', code: 'Unavailable', reason: 'ConnectionDown' },
  ])('maps an answer of $status to $code', async ({ status, body, code, reason }) => {
    server.override = (_request, response) => void response.writeHead(status).end(body);

    const error: unknown = await cluster.version().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect((error as PlatformError).details.reason).toBe(reason);
  });

  it("passes on the words of a cluster's internal error, which is no silence of the cluster", async () => {
    server.override = (_request, response) => void response.writeHead(500).end(INTERNAL_ERROR);

    const error: unknown = await cluster.version().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'failed calling webhook "x"', retry: 'backoff' });
    expect(isConnectionDown(error)).toBe(false);
  });

  it('takes the largest object there may be, and an error that quotes it', async () => {
    const object = { ...configMap('a'), data: { numbers: '1,'.repeat(700_000) } };
    await cluster.applyObject(object, options);
    expect(await cluster.get({ ...configMap('a').metadata, apiVersion: 'v1', kind: 'ConfigMap' })).toMatchObject(
      object,
    );

    const message = `Invalid value: ${JSON.stringify(object)}: field is immutable`;
    const causes = [{ message, field: 'data' }];
    const status = { kind: 'Status', code: 422, reason: 'Invalid', message, details: { causes } };
    server.override = (_request, response) => void response.writeHead(422).end(JSON.stringify(status));
    const error: unknown = await cluster.version().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'InvalidSpec', message: expect.stringMatching(/^Invalid value.*immutable$/s) });
    expect((error as PlatformError).message.length).toBeLessThan(20_000);
  });

  it('says which group is not served when the server behind it is down, which is no silence of the cluster', async () => {
    const ref = { apiVersion: 'projectcalico.org/v3', kind: 'GlobalNetworkPolicy', name: 'a' };
    server.override = ({ url }, response) => {
      if (url === '/version') return void response.end('{"gitVersion":"v1.31.4"}');
      response.writeHead(503, { 'content-type': 'text/plain' }).end('service unavailable\n');
    };

    const error: unknown = await cluster.find(ref).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ code: 'Unavailable', retry: 'backoff' },
      message: 'The cluster cannot serve projectcalico.org/v3: it answered 503 (service unavailable)',
      details: {
        reason: 'ClusterError',
        remedy: 'Look at what the APIService v3.projectcalico.org says, and at the server behind it',
      },
    });
    expect([isConnectionDown(error), isRefusal(error)]).toEqual([false, true]);
  });

  it('says ConnectionDown when a proxy answers for all of a cluster', async () => {
    server.override = (_request, response) => void response.writeHead(502).end('<html>bad gateway</html>');

    const listing = cluster.list('example.com/v1', 'Widget');
    await expect(listing).rejects.toMatchObject({ details: { reason: 'ConnectionDown' } });
  });

  it('says ConnectionDown when the connection is refused or cut', async () => {
    server.override = (request) => void request.socket.destroy();
    await expect(cluster.version()).rejects.toMatchObject({ details: { reason: 'ConnectionDown' } });

    await server.stop();
    await expect(cluster.version()).rejects.toMatchObject({
      code: 'Unavailable',
      details: { reason: 'ConnectionDown' },
    });
    server = await TestApiServer.start(new InMemoryTargetCluster());
  });

  it('trusts no certificate but those of the kubeconfig', async () => {
    const misled = new HttpTargetCluster(server.kubeconfig('s3cret', (await issueCertificate()).cert));

    await expect(misled.version()).rejects.toMatchObject({ details: { reason: 'CertificateRejected' } });
    expect(server.seen).toEqual([]);
  });

  it('refuses to send credentials in the clear', async () => {
    const plain = kubeconfigFor({ name: 'x', server: 'http://127.0.0.1:1', credentials: { token: 'hush' } });

    await expect(new HttpTargetCluster(formatKubeconfig(plain)).version()).rejects.toMatchObject({
      code: 'BadRequest',
    });
  });

  it("gives up with the caller's signal, which is no fault of the cluster", async () => {
    server.override = () => undefined;
    const caller = new AbortController();
    const asked = cluster.version(caller.signal);
    while (server.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    caller.abort();

    await expect(asked).rejects.toMatchObject({ code: 'Timeout' });
  });

  it.each([
    {
      name: 'Gone when a watch asks for a revision that is too old',
      status: '{"kind":"Status","code":410,"reason":"Expired","message":"too old"}',
      want: { code: 'Gone' },
    },
    {
      name: 'Unavailable when a watch ends with an internal error',
      status: INTERNAL_ERROR,
      want: { code: 'Unavailable', details: { reason: 'ClusterError' } },
    },
  ])('says $name', async ({ status, want }) => {
    server.override = (request, response) => {
      if (!request.url?.includes('watch=true')) {
        response.end(JSON.stringify({ resources: [{ name: 'nodes', kind: 'Node', namespaced: false }] }));
        return;
      }
      response.end(`{"type":"ERROR","object":${status}}\n`);
    };
    const events = cluster.watch('v1', 'Node', { resourceVersion: '1', timeoutMs: 1000 }, AbortSignal.timeout(60_000));

    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject(want);
  });

  describe('of a cluster that answers maliciously', () => {
    const NODES = { resources: [{ name: 'nodes', kind: 'Node', namespaced: false }] };
    const tooLarge = { code: 'Unavailable', details: { reason: 'AnswerTooLarge' } };
    const watched = (): Promise<unknown> =>
      cluster
        .watch('v1', 'Node', { resourceVersion: '1', timeoutMs: 1000 }, AbortSignal.timeout(60_000))
        [Symbol.asyncIterator]()
        .next();
    /** Discovery, and then what `answer` does. */
    const answerWith = (answer: (response: ServerResponse, url: string) => void): void => {
      server.override = ({ url = '' }, response) =>
        url === '/api/v1' ? void response.end(JSON.stringify(NODES)) : answer(response, url);
    };

    it.each([
      { what: 'a text', part: 'x'.repeat(65_536) },
      { what: 'values of next to no text', part: '{},'.repeat(20_000) },
    ])('reads no answer without end: $what', async ({ part }) => {
      for (const status of [200, 500]) {
        answerWith((response) => void endless(part).pipe(response.writeHead(status)));
        await expect(cluster.version()).rejects.toMatchObject(tooLarge);
      }
    });

    it.each([
      { what: 'long pages', items: Array.from({ length: 100_000 }, () => ({})) },
      { what: 'empty pages', items: [] },
    ])('reads no list without end: $what', async ({ items }) => {
      const page = JSON.stringify({ metadata: { resourceVersion: '1', continue: 'x' }, items });
      answerWith((response) => void response.end(page));

      await expect(cluster.list('v1', 'Node')).rejects.toMatchObject(tooLarge);
    });

    it('reads no event without end', async () => {
      answerWith((response) => void endless('x'.repeat(65_536)).pipe(response));
      await expect(watched()).rejects.toMatchObject(tooLarge);
    });

    it('counts as reached', async () => {
      answerWith((response) => void endless('x'.repeat(65_536)).pipe(response));
      const error: unknown = await cluster.version().catch((thrown: unknown) => thrown);
      expect([isConnectionDown(error), isRefusal(error)]).toEqual([false, true]);
    });

    it.each([301, 302, 307, 308])('goes nowhere else, whatever it is told with a %i', async (status) => {
      const elsewhere = await TestApiServer.start(new InMemoryTargetCluster());
      try {
        answerWith((response, url) => void response.writeHead(status, { location: elsewhere.url + url }).end());
        const asked = [cluster.version(), watched(), cluster.remove({ apiVersion: 'v1', kind: 'Node', name: 'a' })];
        for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
          const details = { reason: 'Redirected' };
          expect(reason).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('redirect'), details });
          expect(isConnectionDown(reason)).toBe(true);
        }
        expect(elsewhere.connections).toBe(0);
      } finally {
        await elsewhere.stop();
      }
    });
  });

  it('refuses a kubeconfig that would run a program, without quoting it', () => {
    const kubeconfig = kubeconfigFor({ name: 'x', server: 'https://x', credentials: { token: 'hush' } });
    const exec = { ...kubeconfig, users: [{ name: 'x', user: { token: 'hush', exec: { command: 'steal' } } }] };

    const open = (): HttpTargetCluster => new HttpTargetCluster(formatKubeconfig(exec));
    expect(open).toThrow(/exec/);
    expect(open).not.toThrow(/hush/);
  });
});

function endless(part: string): Readable {
  return new Readable({
    read() {
      this.push(part);
    },
  });
}
