import { once } from 'node:events';
import { connect, type ClientHttp2Stream } from 'node:http2';
import { CLOUD_ACCOUNT, CLUSTER, type FleetPage, type KubeObject } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import type { ServiceHost } from '@crate/service-host';
import { eventually, freePort } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aFleetCluster } from '../testing/a-fleet.js';
import { PlatformBench } from '../testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
const PERMISSIVE = { policy: { unavailable: { clusterSpec: 'allow' as const } } };

let bench: PlatformBench;
let first: ServiceHost;
let otherPort: number;
let admin: string;
beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  otherPort = await freePort();
  first = await bench.startLifecycle(PERMISSIVE);
  await bench.startLifecycle(PERMISSIVE, otherPort);
  await bench.startNeighbour('cloud-mgmt', { kinds: [{ definition: CLOUD_ACCOUNT }] });
  for (const name of ['team-a', 'team-b']) await createProject(name);
});
afterAll(async () => bench.close());

async function createProject(name: string): Promise<void> {
  const members = [{ kind: 'User', name: `viewer-of-${name}`, role: 'viewer' }];
  const body = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name }, spec: { members } };
  const { status } = await bench.call({ method: 'POST', path: `${LIFECYCLE}/projects`, token: admin, body });
  expect(status).toBe(201);
}

/** Paused, so that nothing is done to it. */
async function create(name: string, project: string): Promise<void> {
  const { metadata: _own, status: _none, ...rest } = aFleetCluster({ spec: { paused: true } });
  await first.foundation.store.create({ ...rest, metadata: { name, namespace: project } as KubeObject['metadata'] });
}

async function fleet(query = '', { token = admin, port = bench.apiPort } = {}): Promise<FleetPage> {
  const { status, body } = await bench.call({ path: `/fleet/clusters${query}`, token }, port);
  expect(status).toBe(200);
  return body as unknown as FleetPage;
}

function names({ rows }: FleetPage): readonly string[] {
  return rows.map(({ namespace, name }) => `${namespace}/${name}`);
}

// One story on one platform.
describe('the fleet of a platform with two replicas', () => {
  it('is the same whichever replica is asked, wherever it was written', async () => {
    await create('one', 'team-a');
    await create('two', 'team-b');
    for (const port of [bench.apiPort, otherPort]) {
      await eventually(async () => expect(names(await fleet('', { port }))).toEqual(['team-a/one', 'team-b/two']));
    }
    expect((await fleet()).rollup.health).toMatchObject({ Paused: 2, Healthy: 0 });
  });

  it('shows members of Projects their own, and strangers nothing', async () => {
    const token = bench.tokenOf('viewer-of-team-b', []);
    await eventually(async () => expect(names(await fleet('', { token }))).toEqual(['team-b/two']));
    const seen = await fleet('?project=team-a,team-b', { token });
    expect([seen.total, JSON.stringify(seen).includes('team-a')]).toEqual([1, false]);
    expect((await fleet('', { token: bench.tokenOf('stranger', []) })).total).toBe(0);
    expect((await bench.call({ path: '/fleet/clusters' })).status).toBe(401);
  });

  it('learns providers from the owner of accounts', async () => {
    const metadata = { name: 'sandbox', namespace: 'team-a' };
    const account = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', metadata };
    const body = { ...account, spec: { provider: 'sandbox-aws' } };
    await eventually(async () => {
      const { status } = await bench.call({ method: 'POST', path: ACCOUNTS, token: admin, body });
      expect([201, 409]).toContain(status);
    });
    await eventually(async () => expect(names(await fleet('?provider=sandbox-aws'))).toEqual(['team-a/one']), {
      timeoutMs: 60_000,
    });
  });

  it('is watched through the front door', async () => {
    const call = { path: '/fleet/clusters?watch=true&q=three', token: admin };
    const watching = bench.watch(call, 2);
    await eventually(async () => expect((await fleet()).total).toBe(2));
    await create('three', 'team-a');
    const lines = (await watching) as { readonly type: string; readonly page: FleetPage }[];
    expect(lines.map(({ type, page }) => [type, names(page)])).toContainEqual(['PAGE', ['team-a/three']]);
  });

  it('is watched over HTTP/2, as browsers do, and let go when they close', async () => {
    const session = connect(bench.url, { rejectUnauthorized: false });
    const watching = (): ClientHttp2Stream =>
      session.request({ ':path': '/fleet/clusters?watch=true&q=six', authorization: `Bearer ${admin}` });
    const [kept, left] = [watching(), watching()];
    let text = '';
    kept.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(left, 'data');
    left.close();
    await eventually(() => expect(text.split('\n')).toHaveLength(2));
    await create('six', 'team-b');
    await eventually(() => expect(text).toContain('"name":"six"'));
    session.destroy();
    const key = { group: CLUSTER.group, kind: CLUSTER.kind, namespace: 'team-b', name: 'six' };
    await first.foundation.store.remove(key);
    await eventually(async () => expect((await fleet('?q=six')).matching).toBe(0));
    expect(bench.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('forgets what is deleted', async () => {
    const key = { group: CLUSTER.group, kind: CLUSTER.kind, namespace: 'team-a', name: 'one' };
    await first.foundation.store.remove(key);
    for (const port of [bench.apiPort, otherPort]) {
      await eventually(async () => expect(names(await fleet('', { port }))).not.toContain('team-a/one'));
    }
  });

  it('is described beside everything else, and everybody is told that they may ask', async () => {
    const { body } = await bench.call({ path: '/openapi/v3', token: admin });
    expect(body['paths']).toHaveProperty('fleet');
    const spec = { nonResourceAttributes: { verb: 'get', path: '/fleet/clusters' } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const asked = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
    const review = await bench.call({ method: 'POST', path, token: bench.tokenOf('stranger', []), body: asked });
    expect(review.body).toMatchObject({ status: { allowed: true } });
  });
});
