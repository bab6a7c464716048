import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mergePatch } from '../patch/merge-patch.js';
import { at } from '../fixtures/at.js';
import { CLUSTER_PATH, HttpBench, MAP_PATH } from '../fixtures/http-bench.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aCluster, aConfigMap, localApi } from '../fixtures/local-api.js';

const bench = new HttpBench();
const { call, post } = bench;
beforeEach(() => bench.start());
afterEach(() => bench.stop());

describe('verbs', () => {
  it('create, get, replace, patch, list and delete', async () => {
    const created = await post(CLUSTER_PATH, aCluster());
    expect(created.code).toBe(201);
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).body).toEqual(created.body);

    const paused = mergePatch(created.body, { spec: { paused: true } });
    const replaced = await call('PUT', `${CLUSTER_PATH}/demo`, { body: paused });
    expect([replaced.code, at(replaced.body, '.spec.paused')]).toEqual([200, true]);

    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: { spec: { paused: null } }, headers });
    expect([patched.code, at(patched.body, '.spec.paused')]).toEqual([200, false]);

    const listed = await call('GET', '/apis/lifecycle.crate.dev/v1alpha1/clusters?limit=500');
    expect(listed.body).toMatchObject({ kind: 'ClusterList', items: [{ metadata: { name: 'demo' } }] });

    const deleted = await call('DELETE', `${CLUSTER_PATH}/demo`, { body: { propagationPolicy: 'Background' } });
    expect(deleted.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'demo', kind: 'clusters' },
    });
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('apply creates with 201 and updates with 200', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const path = `${CLUSTER_PATH}/demo?fieldManager=ci&force=true`;
    expect((await call('PATCH', path, { body: aCluster(), headers })).code).toBe(201);
    expect((await call('PATCH', path, { body: aCluster(), headers })).code).toBe(200);
  });

  it.each([
    { force: '', want: 409 },
    { force: '&force=False', want: 409 },
    { force: '&force=True', want: 200 },
  ])('apply takes fields of others over only when it is said: $want for "$force"', async ({ force, want }) => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const apply = (manager: string, a: string, more = ''): ReturnType<typeof call> =>
      call('PATCH', `${MAP_PATH}/m?fieldManager=${manager}${more}`, { body: aConfigMap('m', { a }), headers });
    await apply('one', '1');
    expect((await apply('two', '2', force)).code).toBe(want);
    expect(at((await call('GET', `${MAP_PATH}/m`)).body, '.data.a')).toBe(want === 200 ? '2' : '1');
  });

  it('apply needs a stated field manager', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { code, body } = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: aCluster(), headers });
    expect([code, at(body, '.details.causes[0].field')]).toEqual([422, 'fieldManager']);
  });

  it.each([
    { name: 'x'.repeat(128), want: 201 },
    { name: 'Jörg’s tool', want: 201 },
    { name: 'x'.repeat(129), want: 422, message: 'Too long: may not be more than 128 bytes' },
    { name: 'a\nb', want: 422, message: 'Invalid value: should only contain printable characters' },
  ])('take a field manager as Kubernetes does: $want for $name', async ({ name, want, message }) => {
    const path = `${MAP_PATH}?fieldManager=${encodeURIComponent(name)}`;
    const { code, body } = await post(path, aConfigMap('m', { a: '1' }));
    expect(code).toBe(want);
    expect(at(body, '.details.causes[0].message')).toBe(message);
    expect((await call('GET', `${MAP_PATH}/m`)).code).toBe(want === 201 ? 200 : 404);
  });

  it('take the field manager from the client when none is stated', async () => {
    await call('POST', MAP_PATH, {
      body: aConfigMap('m', { a: '1' }),
      headers: { 'user-agent': 'my-tool/1.2 (linux)' },
    });
    const { body } = await call('GET', `${MAP_PATH}/m`);
    expect(at(body, '.metadata.managedFields[0].manager')).toBe('my-tool');
  });

  it.each([
    { mode: '', code: 400, warning: null },
    { mode: '&fieldValidation=Strict', code: 400, warning: null },
    { mode: '&fieldValidation=Warn', code: 201, warning: '299 - "duplicate field \\"data.a\\""' },
    { mode: '&fieldValidation=Ignore', code: 201, warning: null },
  ])('answer $code to a field that is given twice with "$mode"', async ({ mode, code, warning }) => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1","a":"2"}}';
    const answer = await call('POST', `${MAP_PATH}?dryRun=All${mode}`, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.code, answer.headers.get('warning')]).toEqual([code, warning]);
    if (code === 201) expect(at(answer.body, '.data.a')).toBe('2');
  });

  it.each([{ namespace: null }, { namespace: '' }])(
    'take the namespace from the path where the document has $namespace',
    async ({ namespace }) => {
      const { code, body } = await post(MAP_PATH, { ...aConfigMap('m', {}), metadata: { name: 'm', namespace } });
      expect([code, at(body, '.metadata.namespace')]).toEqual([201, 'team-a']);
    },
  );

  it('take YAML', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n';
    const { code, body } = await post(MAP_PATH, yaml, 'application/yaml');
    expect([code, at(body, '.metadata.namespace'), at(body, '.data')]).toEqual([201, 'team-a', { a: '1' }]);
  });

  it('give the object back while finalizers hold it', async () => {
    const held = aConfigMap('m', {});
    held.metadata.finalizers = ['a.b/c'];
    await post(MAP_PATH, held);
    const { body } = await call('DELETE', `${MAP_PATH}/m`);
    expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  });

  it.each([
    { query: 'resourceVersion=1', want: 409, reason: 'it has changed since' },
    { query: 'uid=other', want: 409, reason: 'it is another one' },
    { query: 'resourceVersion=1', body: { preconditions: {} }, want: 409, reason: 'the body is silent about it' },
    { query: 'resourceVersion=', want: 200, reason: 'nothing is stated' },
    { query: 'resourceVersion=2', want: 200, reason: 'it holds' },
    { query: 'uid=other', body: { preconditions: { uid: 'its own' } }, want: 200, reason: 'the body says otherwise' },
  ])('delete with ?$query and body $body is $want: $reason', async ({ query, body, want }) => {
    const path = `${MAP_PATH}/m`;
    const uid = at((await post(MAP_PATH, aConfigMap('m', {}))).body, '.metadata.uid');
    await call('PUT', path, { body: aConfigMap('m', { a: '1' }) });
    const sent = body?.preconditions.uid === undefined ? body : { preconditions: { uid } };
    expect((await call('DELETE', `${path}?${query}`, sent ? { body: sent } : {})).code).toBe(want);
    expect((await call('GET', path)).code).toBe(want === 200 ? 404 : 200);
  });

  it.each([
    { query: 'orphanDependents=True', stays: true },
    { query: 'orphanDependents=False', stays: false },
    { query: 'orphanDependents=True', body: { orphanDependents: false }, stays: false },
    { query: '', body: { orphanDependents: true }, stays: true },
  ])('delete with ?$query and body $body leaves dependents: $stays', async ({ query, body, stays }) => {
    const uid = String(at((await post(MAP_PATH, aConfigMap('owner', {}))).body, '.metadata.uid'));
    const dependent = aConfigMap('m', {});
    dependent.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await post(MAP_PATH, dependent);
    expect((await call('DELETE', `${MAP_PATH}/owner?${query}`, body ? { body } : {})).code).toBe(200);
    const { code, body: left } = await call('GET', `${MAP_PATH}/m`);
    expect([code, at(left, '.metadata.ownerReferences')]).toEqual([stays ? 200 : 404, undefined]);
  });

  it('delete collections', async () => {
    for (const name of ['a', 'b']) await post(MAP_PATH, aConfigMap(name, {}));
    const { body } = await call('DELETE', `${MAP_PATH}?fieldSelector=metadata.name%3Da`);
    expect(at(body, '.items')).toHaveLength(1);
    expect(at((await call('GET', MAP_PATH)).body, '.items')).toHaveLength(1);
  });

  it('do nothing in a dry run', async () => {
    expect((await post(`${CLUSTER_PATH}?dryRun=All`, aCluster())).code).toBe(201);
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).code).toBe(404);
  });

  it('read and write the status apart', async () => {
    await post(CLUSTER_PATH, aCluster());
    const headers = { 'content-type': 'application/merge-patch+json' };
    await call('PATCH', `${CLUSTER_PATH}/demo/status`, { body: { status: { version: 'v1' } }, headers });
    expect(at((await call('GET', `${CLUSTER_PATH}/demo/status`)).body, '.status')).toEqual({ version: 'v1' });
  });

  it('read other subresources as they are', async () => {
    await post(CLUSTER_PATH, aCluster());
    const { headers, text } = await call('GET', `${CLUSTER_PATH}/demo/kubeconfig`);
    expect([headers.get('content-type'), text]).toEqual(['application/yaml', 'apiVersion: v1\nkind: Config\n']);
    expect((await call('GET', `${CLUSTER_PATH}/demo/nothing`)).code).toBe(404);
    expect((await call('PUT', `${CLUSTER_PATH}/demo/kubeconfig`, { body: aCluster() })).code).toBe(405);
  });

  it('scale', async () => {
    const path = '/apis/apps/v1/namespaces/team-a/deployments';
    const metadata = { name: 'web', namespace: 'team-a' };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } } };
    await post(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
    const scale = (await call('GET', `${path}/web/scale`)).body;
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { selector: 'app=web' } });
    const five = await call('PUT', `${path}/web/scale`, { body: mergePatch(scale, { spec: { replicas: 5 } }) });
    expect(at(five.body, '.spec.replicas')).toBe(5);
    expect((await call('PUT', `${path}/web/scale`, { body: scale })).body).toMatchObject({ code: 409 });
    expect((await call('PUT', `${path}/web/scale`, { body: { spec: {} } })).code).toBe(400);
    const patches = [
      { type: 'application/merge-patch+json', body: { spec: { replicas: 6 } }, want: 6 },
      { type: 'application/json-patch+json', body: [{ op: 'replace', path: '/spec/replicas', value: 7 }], want: 7 },
    ];
    for (const { type, body, want } of patches) {
      const headers = { 'content-type': type };
      const patched = await call('PATCH', `${path}/web/scale`, { body, headers });
      expect(patched).toMatchObject({ code: 200, body: { kind: 'Scale', spec: { replicas: want } } });
    }
  });

  it('warn of no more than the headers of an answer hold', async () => {
    const { metadata, spec } = aCluster('demo');
    const unknown = Object.fromEntries([...Array(500).keys()].map((index) => [`${'x'.repeat(200)}${index}`, index]));
    const body = {
      ...aCluster('demo'),
      metadata: { ...metadata, ...unknown },
      spec: { ...(spec as object), ...unknown },
    };
    const { code, headers } = await post(`${CLUSTER_PATH}?fieldValidation=Warn`, body);
    expect([code, headers.get('warning')]).toEqual([201, expect.stringMatching(/"and \d+ more warnings"$/)]);
    expect(headers.get('warning')?.length).toBeLessThan(8 * 1024);
  });

  it('pass warnings on', async () => {
    const admit = [() => Promise.resolve({ warnings: ['"quoted" – and\nlong'] })];
    await bench.restart({ fixture: localApi({ ...CONFIG_MAP, admit }) });
    const { headers } = await post(MAP_PATH, aConfigMap('m', {}));
    const warning = '299 - "\\"quoted\\" and long"';
    expect(headers.get('warning')).toBe(warning);
    for (const query of ['?dryRun=All', '']) {
      const { code, headers: answered } = await call('DELETE', `${MAP_PATH}/m${query}`);
      expect([code, answered.get('warning')]).toEqual([200, warning]);
    }
  });
});
