import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLOUD_ACCOUNT, INFRASTRUCTURE, KUBERNETES_CLUSTER } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { eventually } from '@crate/testing';
import type { ApiAnswer } from './testing/api-call.js';
import { PlatformBench } from './testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const CLASSES = `${LIFECYCLE}/clusterclasses`;
const TEAM = `${LIFECYCLE}/namespaces/team-a`;
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
const EXAMPLES = new URL('../../../examples/', import.meta.url);

let bench: PlatformBench;
let admin: string;
beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  await bench.startNeighbour('cloud-mgmt', { kinds: [{ definition: CLOUD_ACCOUNT }, { definition: INFRASTRUCTURE }] });
  await bench.startNeighbour('cluster-mgmt', { kinds: [{ definition: KUBERNETES_CLUSTER }] });
  const review = { scope: 'policy:review' as const, handle: () => Promise.resolve({ allowed: true, violations: [] }) };
  await bench.startNeighbour('policy-mgmt', { methods: { review } });
  await bench.startLifecycle();
  await send('POST', `${LIFECYCLE}/projects`, {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'team-a' },
  });
  await eventually(async () => {
    const { status } = await send('POST', ACCOUNTS, {
      apiVersion: 'cloud.crate.dev/v1alpha1',
      kind: 'CloudAccount',
      metadata: { name: 'sandbox' },
      spec: { provider: 'sandbox-aws' },
    });
    expect([201, 409]).toContain(status);
  });
});
afterAll(async () => bench.close());

async function send(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer> {
  return bench.call({ method, path, body, token: admin, ...(contentType === undefined ? {} : { contentType }) });
}

async function get(path: string): Promise<Record<string, unknown>> {
  return (await send('GET', path)).body;
}

/** Server-side apply of an example as it is shipped, but for what `edit` makes of its text. */
async function apply(file: string, path: string, edit = (text: string): string => text): Promise<ApiAnswer> {
  const text = edit(await readFile(new URL(file, EXAMPLES), 'utf8'));
  const query = '?fieldManager=pipeline&fieldValidation=Strict';
  const contentType = 'application/apply-patch+yaml';
  return bench.call({ method: 'PATCH', path: `${path}${query}`, text, contentType, token: admin });
}

function newer(text: string): string {
  return text.replaceAll('v1.31.8', 'v1.32.4');
}

// One story on one platform.
describe('classes', () => {
  it.each(['small', 'standard', 'production'])('as they are shipped are taken: %s', async (name) => {
    expect((await apply(`classes/${name}.yaml`, `${CLASSES}/${name}`)).status).toBe(201);
    await eventually(async () => expect(await get(`${CLASSES}/${name}`)).toMatchObject({ status: { revision: 1 } }));
  });

  it('fill clusters in, and the same document again changes nothing', async () => {
    const { status, body } = await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/shop`);
    expect([status, body]).toMatchObject([
      201,
      {
        spec: {
          classRef: { name: 'small', revision: 1 },
          kubernetes: { version: 'v1.31.8' },
          controlPlane: { replicas: 1 },
          nodePools: [{ name: 'workers', replicas: 3 }],
        },
      },
    ]);
    const again = await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/shop`);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ metadata: { generation: 1 } });
  });

  it('protect production clusters, and refuse what they lock', async () => {
    const named = (text: string): string =>
      text.replace('name: small', 'name: production').replace('name: shop', 'name: bank');
    const locked = await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/bank`, (text) =>
      named(text).replace('region: us-east-1', 'region: us-east-1\n  deletionProtection: false'),
    );
    expect(locked).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.deletionProtection' }] } },
    });
    const { body } = await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/bank`, named);
    expect(body).toMatchObject({ spec: { deletionProtection: true, controlPlane: { replicas: 3 } } });
  });

  it('cannot be deleted while they are in use', async () => {
    const { status, body } = await send('DELETE', `${CLASSES}/small`);
    expect([status, body['message']]).toEqual([409, expect.stringContaining('team-a/shop')]);
  });

  it('foretell what a change brings, and roll it out by themselves where they shall', async () => {
    const { headers } = await apply('classes/small.yaml', `${CLASSES}/small`, newer);
    expect(String(headers['warning'])).toContain('team-a/shop: spec.kubernetes.version');
    await eventually(async () => {
      expect(await get(`${TEAM}/clusters/shop`)).toMatchObject({
        spec: { classRef: { revision: 2 }, kubernetes: { version: 'v1.32.4' } },
        status: { class: { revision: 2, changeCount: 0 } },
      });
    });
    await eventually(async () => {
      expect(await get(`${CLASSES}/small`)).toMatchObject({
        status: { revision: 2, clusters: { total: 1, moving: 1 } },
      });
    });
  });

  it('are selected by, in all Projects', async () => {
    const { items } = await get(`${LIFECYCLE}/clusters?fieldSelector=spec.classRef.name%3Dsmall`);
    expect((items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual(['shop']);
    expect(await get(`${CLASSES}/small/clusters`)).toMatchObject({
      revision: 2,
      clusters: [{ namespace: 'team-a', name: 'shop', revision: 2, standing: 'moving' }],
    });
  });

  it('show a cluster what is to come where nobody moves it, and move it when it is told to', async () => {
    await apply('classes/standard.yaml', `${CLASSES}/standard`);
    const edit = (text: string): string =>
      text
        .replace('name: small', 'name: standard')
        .replace('name: shop', 'name: web')
        .replace('workers: 3', 'size: small');
    expect((await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/web`, edit)).status).toBe(201);
    await apply('classes/standard.yaml', `${CLASSES}/standard`, newer);
    await eventually(async () => {
      const { status } = (await get(`${TEAM}/clusters/web`)) as { status: { conditions: unknown[] } };
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: 'ClassUpToDate', status: 'False', reason: 'UpdateAvailable' }),
      );
    });
    const annotations = { 'lifecycle.crate.dev/class-revision': 'newest' };
    const merge = 'application/merge-patch+json';
    const { body } = await send('PATCH', `${TEAM}/clusters/web`, { metadata: { annotations } }, merge);
    expect(body).toMatchObject({ spec: { classRef: { revision: 2 }, kubernetes: { version: 'v1.32.4' } } });
    expect(body['metadata']).not.toHaveProperty('annotations');
  });

  it('go on where they were after a restart', async () => {
    await bench.stopService('lifecycle');
    await bench.startLifecycle();
    const again = await apply('cluster-of-a-class.yaml', `${TEAM}/clusters/shop`);
    expect(again.body).toMatchObject({ spec: { classRef: { revision: 2 } } });
    const { items } = await get(`${LIFECYCLE}/clusterclassrevisions`);
    expect((items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
      'production-1',
      'small-1',
      'small-2',
      'standard-1',
      'standard-2',
    ]);
  });
});

describe('node pools', () => {
  it('are listed in pages of one state', async () => {
    const first = await get(`${TEAM}/nodepools?limit=2`);
    const { metadata, items } = first as { metadata: Record<string, string>; items: { metadata: { name: string } }[] };
    expect(items.map((item) => item.metadata.name)).toEqual(['bank.workers', 'shop.workers']);
    await send('PATCH', `${TEAM}/clusters/web`, { spec: { paused: true } }, 'application/merge-patch+json');
    const rest = await get(`${TEAM}/nodepools?limit=2&continue=${metadata['continue']}`);
    expect(rest).toMatchObject({
      metadata: { resourceVersion: metadata['resourceVersion'] },
      items: [{ metadata: { name: 'web.workers' } }],
    });
  });

  it('are scaled in their cluster, and watchers hear of it', async () => {
    const { resourceVersion } = (await get(`${TEAM}/nodepools`))['metadata'] as { resourceVersion: string };
    const path = `${TEAM}/nodepools?watch=true&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Dshop.workers`;
    const watching = bench.watch({ path, token: admin }, 1);
    const scale = await get(`${TEAM}/nodepools/shop.workers/scale`);
    const { status, body } = await send('PUT', `${TEAM}/nodepools/shop.workers/scale`, {
      ...scale,
      spec: { replicas: 5 },
    });
    expect([status, body]).toMatchObject([200, { kind: 'Scale', spec: { replicas: 5 } }]);
    expect(await watching).toMatchObject([{ type: 'MODIFIED', object: { kind: 'NodePool', spec: { replicas: 5 } } }]);
    expect(await get(`${TEAM}/clusters/shop`)).toMatchObject({
      spec: { nodePools: [{ name: 'workers', replicas: 5 }] },
    });
    const late = await send('PUT', `${TEAM}/nodepools/shop.workers/scale`, { ...scale, spec: { replicas: 6 } });
    expect(late.status).toBe(409);
  });

  it('are neither made nor removed by themselves', async () => {
    expect((await send('DELETE', `${TEAM}/nodepools/shop.workers`)).status).toBe(405);
    expect((await send('DELETE', `${TEAM}/nodepools`)).status).toBe(405);
    const { status, body } = await send('POST', `${TEAM}/nodepools`, {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'NodePool',
      metadata: { name: 'shop.more' },
    });
    expect([status, body['message']]).toEqual([405, expect.stringContaining('spec.nodePools of their Cluster')]);
  });
});
