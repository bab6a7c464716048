import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ADD_ON_INSTALLATION,
  CLOUD_ACCOUNT,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  POLICY,
  type KubernetesCluster,
  type PolicyReviewResponse,
} from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import type { ServiceParts } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { inClusterConfig } from './in-cluster/in-cluster.config.js';
import type { ApiAnswer } from './testing/api-call.js';
import { PlatformBench } from './testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const CLOUD = '/apis/cloud.crate.dev/v1alpha1';
const CLUSTERS = `${LIFECYCLE}/namespaces/team-a/clusters`;
const ACCOUNTS = `${CLOUD}/namespaces/team-a/cloudaccounts`;

const CLOUD_MGMT: Partial<ServiceParts> = { kinds: [{ definition: CLOUD_ACCOUNT }, { definition: INFRASTRUCTURE }] };
const CLUSTER_MGMT: Partial<ServiceParts> = {
  kinds: [{ definition: KUBERNETES_CLUSTER }, { definition: ADD_ON_INSTALLATION }],
};

let bench: PlatformBench;
let admin: string;
let verdict: PolicyReviewResponse;
beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  verdict = { allowed: true, violations: [] };
  await bench.startLifecycle();
});
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
    const early = await get(`${CLOUD}/cloudaccounts`);
    expect([early.status, early.body['message']]).toEqual([
      503,
      expect.stringContaining('its service cloud-mgmt is away'),
    ]);
    await bench.startNeighbour('cluster-mgmt', CLUSTER_MGMT);
    const cloud = await bench.startNeighbour('cloud-mgmt', CLOUD_MGMT);
    await eventually(async () => expect(await kindsOf(CLOUD)).toContain('CloudAccount'));
    expect((await get(`${CLOUD}/rockets`)).status).toBe(404);

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

describe('a platform that looks after its own cluster', () => {
  const PLACE = `${LIFECYCLE}/namespaces/platform/clusters`;
  const PATIENCE = { timeoutMs: 60_000 };

  async function own(): Promise<ApiAnswer['body']> {
    const { status, body } = await get(`${PLACE}/in-cluster`);
    expect(status).toBe(200);
    return body;
  }

  async function told(status: NonNullable<KubernetesCluster['status']>): Promise<void> {
    const client = bench.hostOf('cluster-mgmt').foundation.clients.for(KUBERNETES_CLUSTER);
    await eventually(async () => {
      const found = await client.find('in-cluster', 'platform');
      if (!found) throw new Error('Nobody asked cluster-mgmt to look after it yet');
      const generation = found.metadata.generation;
      const conditions = ['Ready', 'ControlPlaneReady', 'NodesReady'].map((type) => {
        const at = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: generation };
        return { type, status: 'True' as const, reason: 'Ready', message: '', ...at };
      });
      await client.saveStatus(found, { ...status, conditions, observedGeneration: generation });
    }, PATIENCE);
  }

  beforeAll(async () => {
    await bench.stopService('lifecycle');
    await bench.stopService('cloud-mgmt');
    verdict = { allowed: true, violations: [] };
    await bench.startLifecycle({ inCluster: inClusterConfig.parse({ enabled: true }) });
  });

  it('shows it by itself, with the version and the nodes that it has', async () => {
    await eventually(own, PATIENCE);
    const node = { role: 'worker', ready: true, version: 'v1.33.1+k3s1' };
    await told({ version: 'v1.33.1+k3s1', nodes: [{ name: 'edge-0', ...node }] });
    await eventually(async () => {
      expect(await own()).toMatchObject({
        spec: { kubernetes: { engine: 'existing' } },
        status: { version: 'v1.33.1+k3s1', nodes: { ready: 1, desired: 1 }, progress: { message: 'Ready' } },
      });
    }, PATIENCE);
  });

  it('is well without cloud-mgmt, which it does not know, and says why', async () => {
    const { body } = await get('/platform/status');
    expect(body['inCluster']).toBe(true);
    const services = body['services'] as readonly { readonly name: string }[];
    expect(services.map(({ name }) => name)).toEqual(['lifecycle', 'cluster-mgmt', 'policy-mgmt']);
    expect((await get(`${CLOUD}/cloudaccounts`)).status).toBe(404);
  });

  it('makes no other cluster, and leaves the version to those who keep the cluster', async () => {
    const other = await post(CLUSTERS, { ...cluster(), metadata: { name: 'other', namespace: 'team-a' } });
    expect([other.status, other.body['message']]).toEqual([403, expect.stringContaining('looks after the cluster')]);
    const { status, body } = await bench.call({
      method: 'PATCH',
      path: `${PLACE}/in-cluster`,
      body: { spec: { kubernetes: { version: 'v1.32.4' } } },
      contentType: 'application/merge-patch+json',
      token: admin,
    });
    expect(status).toBe(422);
    expect(body['details']).toMatchObject({ causes: [{ field: 'spec.kubernetes.version' }] });
    expect(body['message']).toContain('managed from outside');
  });

  it('tells in columns what it is', async () => {
    const { body } = await bench.call({
      path: PLACE,
      token: admin,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    const names = (body['columnDefinitions'] as readonly { name: string }[]).map(({ name }) => name);
    const [row] = body['rows'] as readonly { cells: readonly unknown[] }[];
    const cells = Object.fromEntries(names.map((name, index) => [name, row?.cells[index]]));
    expect(cells).toMatchObject({ Name: 'in-cluster', Ready: 'True', Version: 'v1.33.1+k3s1', Nodes: 1 });
  });

  it('lets go of it, and does not bring it back when it starts again', async () => {
    await bench.call({ method: 'DELETE', path: `${PLACE}/in-cluster`, token: admin });
    await eventually(async () => expect((await get(`${PLACE}/in-cluster`)).status).toBe(404), PATIENCE);
    await bench.stopService('lifecycle');
    await bench.startLifecycle({ inCluster: inClusterConfig.parse({ enabled: true }) });
    await eventually(async () => expect((await get(`${LIFECYCLE}/projects/platform`)).status).toBe(200), PATIENCE);
    // It is refused, with the word to try again, until the others have said that they have nothing in it.
    await eventually(async () => {
      const gone = await bench.call({ method: 'DELETE', path: `${LIFECYCLE}/projects/platform`, token: admin });
      expect(gone.status).toBe(200);
    }, PATIENCE);
  });
});
