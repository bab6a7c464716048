import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOUD_ACCOUNT, INFRASTRUCTURE, KUBERNETES_CLUSTER, POLICY, type PolicyReviewResponse } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import type { ServiceParts } from '@crate/service-host';
import { eventually } from '@crate/testing';
import type { ApiAnswer } from './testing/api-call.js';
import { PlatformBench } from './testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const CLOUD = '/apis/cloud.crate.dev/v1alpha1';
const CLUSTERS = `${LIFECYCLE}/namespaces/team-a/clusters`;
const ACCOUNTS = `${CLOUD}/namespaces/team-a/cloudaccounts`;

const CLOUD_MGMT: Partial<ServiceParts> = { kinds: [{ definition: CLOUD_ACCOUNT }, { definition: INFRASTRUCTURE }] };
const CLUSTER_MGMT: Partial<ServiceParts> = { kinds: [{ definition: KUBERNETES_CLUSTER }] };

let bench: PlatformBench;
let admin: string;
let verdict: PolicyReviewResponse;
beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  verdict = { allowed: true, violations: [] };
  await bench.startLifecycle();
}, 60_000);
afterAll(async () => bench.close());

async function get(path: string, token: string | undefined = admin): Promise<ApiAnswer> {
  return bench.call({ path, token });
}

async function post(path: string, body: unknown, token = admin): Promise<ApiAnswer> {
  return bench.call({ method: 'POST', path, body, token });
}

function project(name: string): object {
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name }, spec: {} };
}

function account(namespace: string): object {
  const metadata = { name: 'sandbox', namespace };
  return { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', metadata, spec: { provider: 'sandbox-aws' } };
}

function cluster(spec: object = {}): object {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'demo', namespace: 'team-a' },
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { engine: 'rke', version: 'v1.31.4' },
      addOns: [{ name: 'docs' }],
      ...spec,
    },
  };
}

async function kindsOf(path: string): Promise<readonly string[]> {
  const { status, body } = await get(path);
  const resources = (body['resources'] ?? []) as { kind: string }[];
  return status === 200 ? resources.map(({ kind }) => kind) : [];
}

// One story on one platform: services start one after the other.
describe('the front door', () => {
  it('lets nobody in without a token that the platform issued', async () => {
    for (const token of [undefined, 'nonsense', admin.slice(0, -4)]) {
      const { status, body } = await get(`${LIFECYCLE}/clusters`, token ?? '');
      expect([status, body['reason']]).toEqual([401, 'Unauthorized']);
    }
    const { status, body } = await bench.call({ path: `${LIFECYCLE}/clusters` });
    expect([status, body['kind']]).toEqual([401, 'Status']);
  });

  it('shows what there is to whoever is signed in, and lets only administrators act', async () => {
    const guest = bench.tokenFor('guests');
    expect((await get('/version', guest)).body).toMatchObject({ gitVersion: expect.stringContaining('+crate') });
    expect((await get(LIFECYCLE, guest)).status).toBe(200);
    const listing = await get(CLUSTERS, guest);
    expect([listing.status, listing.body['reason']]).toEqual([403, 'Forbidden']);
    expect(listing.body['message']).toContain('ada');
    expect((await post(`${LIFECYCLE}/projects`, project('team-x'), guest)).status).toBe(403);
  });

  it('speaks TLS only', async () => {
    await expect(fetch(bench.url.replace('https', 'http'))).rejects.toThrow();
  });

  it('knows its own kinds and the shipped add-ons from the start', async () => {
    expect(await kindsOf(LIFECYCLE)).toEqual(expect.arrayContaining(['Cluster', 'Project', 'AddOn']));
    const { body } = await get(`${LIFECYCLE}/addons`);
    const names = (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['baseline', 'docs']));
  });

  it('cannot say that a Project is empty before every owner was heard of', async () => {
    expect((await post(`${LIFECYCLE}/projects`, project('early'))).status).toBe(201);
    const { status, body } = await bench.call({ method: 'DELETE', path: `${LIFECYCLE}/projects/early`, token: admin });
    expect([status, body['message']]).toEqual([503, expect.stringContaining('cloud.crate.dev')]);
  });

  it('answers for the kinds of a service as soon as that starts', async () => {
    expect((await get(`${CLOUD}/cloudaccounts`)).status).toBe(404);
    await bench.startNeighbour('cluster-mgmt', CLUSTER_MGMT);
    const cloud = await bench.startNeighbour('cloud-mgmt', CLOUD_MGMT);
    await eventually(async () => expect(await kindsOf(CLOUD)).toContain('CloudAccount'));

    expect((await post(ACCOUNTS, account('team-a'))).body['message']).toBe(
      'projects.lifecycle.crate.dev "team-a" not found',
    );
    expect((await post(`${LIFECYCLE}/projects`, project('team-a'))).status).toBe(201);
    const created = await post(ACCOUNTS, account('team-a'));
    expect(created.status).toBe(201);
    expect(await cloud.foundation.clients.for(CLOUD_ACCOUNT).find('sandbox', 'team-a')).toBeDefined();
  });

  it('hands on watches of kinds that others own', async () => {
    const { body } = await get(`${ACCOUNTS}/sandbox`);
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    const path = `${ACCOUNTS}?watch=true&resourceVersion=${resourceVersion}`;
    const watching = bench.watch({ path, token: admin }, 1);
    await bench.call({
      method: 'PATCH',
      path: `${ACCOUNTS}/sandbox`,
      body: { metadata: { labels: { seen: 'yes' } } },
      contentType: 'application/merge-patch+json',
      token: admin,
    });
    expect(await watching).toMatchObject([{ type: 'MODIFIED', object: { metadata: { labels: { seen: 'yes' } } } }]);
  });

  it('stores no cluster without a verdict, and says that it has none', async () => {
    const { status, body, headers } = await post(CLUSTERS, cluster());
    expect([status, body['reason'], headers['retry-after']]).toEqual([503, 'ServiceUnavailable', '2']);
    expect((await get(`${CLUSTERS}/demo`)).status).toBe(404);
  });

  it.each([
    { reason: 'an unknown account', spec: { accountRef: { name: 'nobody' } }, field: 'spec.accountRef.name' },
    { reason: 'an even control plane', spec: { controlPlane: { replicas: 2 } }, field: 'spec.controlPlane.replicas' },
    { reason: 'a wrong type', spec: { region: 7 }, field: 'spec.region' },
    { reason: 'an unknown add-on', spec: { addOns: [{ name: 'nope' }] }, field: 'spec.addOns[0].name' },
  ])('refuses $reason at once, naming the field', async ({ spec, field }) => {
    const { status, body } = await post(CLUSTERS, cluster(spec));
    expect([status, body['reason']]).toEqual([422, 'Invalid']);
    expect(body['details']).toMatchObject({ name: 'demo', causes: [{ field }] });
  });

  it('denies what breaks a rule, asking policy-mgmt on behalf of the person', async () => {
    const callers: string[] = [];
    await bench.startNeighbour('policy-mgmt', {
      kinds: [{ definition: POLICY }],
      methods: {
        review: {
          scope: 'policy:review',
          handle: (_body, { caller }) => {
            callers.push(`${caller.user} by ${caller.service}`);
            return Promise.resolve(verdict);
          },
        },
      },
    });
    const broken = {
      policy: 'allowed-regions',
      level: 'must' as const,
      severity: 'high' as const,
      effect: 'deny' as const,
      title: 'Regions',
      references: [],
    };
    const violations = [{ ...broken, field: 'spec.region', message: 'Not allowed', remedy: 'Choose eu-central-1' }];
    verdict = { allowed: false, violations };

    const { status, body } = await post(CLUSTERS, cluster());
    expect([status, body['reason']]).toEqual([403, 'Forbidden']);
    for (const word of ['allowed-regions', 'must', 'spec.region', 'Choose eu-central-1']) {
      expect(body['message']).toContain(word);
    }
    expect(callers).toEqual(['ada by lifecycle']);
  });

  it('passes recommendations on as warnings, and stores', async () => {
    const advice = {
      policy: 'zones',
      level: 'should' as const,
      severity: 'medium' as const,
      effect: 'warn' as const,
      title: 'Zones',
      references: [],
    };
    const violations = [{ ...advice, field: 'spec.network', message: 'One zone only', remedy: 'Use three' }];
    verdict = { allowed: true, violations };

    const { status, headers } = await post(CLUSTERS, cluster());
    expect(status).toBe(201);
    expect(headers['warning']).toContain(
      'spec.network: One zone only (policy zones, level should, severity medium): Use three',
    );
  });

  it('starts the journey of the cluster by itself', async () => {
    await eventually(async () => {
      const { body } = await get(`${CLUSTERS}/demo`);
      expect(body).toMatchObject({
        metadata: { finalizers: ['lifecycle.crate.dev/clusters'] },
        status: { conditions: expect.arrayContaining([expect.objectContaining({ reason: 'WaitingForSshKey' })]) },
      });
    });
    const path = '/apis/cluster.crate.dev/v1alpha1/namespaces/team-a/kubernetesclusters/demo';
    expect((await get(path)).status).toBe(200);
  });

  it('keeps a Project that is in use', async () => {
    const { status, body } = await bench.call({ method: 'DELETE', path: `${LIFECYCLE}/projects/team-a`, token: admin });
    expect(status).toBe(409);
    expect(body['message']).toContain('cluster/demo');
    expect(body['message']).toContain('cloudaccount/sandbox');
    const early = await bench.call({ method: 'DELETE', path: `${LIFECYCLE}/projects/early`, token: admin });
    expect(early.status).toBe(200);
  });

  it('says of the kinds of a service that stopped that it is unavailable, and serves them when it is back', async () => {
    await bench.stopService('cloud-mgmt');
    expect((await get(`${ACCOUNTS}/sandbox`)).status).toBe(503);
    expect((await get(CLUSTERS)).status).toBe(200);

    await bench.startNeighbour('cloud-mgmt', CLOUD_MGMT);
    await eventually(async () => expect((await get(`${ACCOUNTS}/sandbox`)).status).toBe(200));
  });
});
