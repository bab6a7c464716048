import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLUSTER, PROJECT, type Cluster, type KubeObject, type Project } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { hasCode } from '@crate/errors';
import { TypedClient, type CallContext } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { PostgresResourceStore, resourceStoreMigrations } from '@crate/resource-store';
import { startPostgres, type PostgresServer } from '@crate/testing';
import fc from 'fast-check';
import { aProject, person } from '../testing/a-project.js';
import { ProjectOfWrite } from './project-of-write.js';
import { quotaAdmission } from './project-quota.admission.js';
import { QUOTA_NAMES, usageOf } from './project-usage.js';

const CLUSTERS = { group: CLUSTER.group, version: CLUSTER.version, plural: CLUSTER.plural };
const PROJECTS = { group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural };
const CONTEXT: CallContext = { caller: person('ada', 'platform-admin'), traceId: 't' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Refusals that a person gets who asks for too much, or for what is there or gone already. */
const EXPECTED = ['Forbidden', 'AlreadyExists', 'NotFound'] as const;

/** One thing somebody does, at one of the replicas. */
type Step = { readonly replica: number; readonly name: string; readonly replicas: number } & (
  { readonly kind: 'create' | 'scale' | 'remove' } | { readonly kind: 'limit'; readonly quotas: Record<string, number> }
);

let server: PostgresServer;
let database: Database;
let replicas: readonly LocalResourceApi[];
let stores: readonly PostgresResourceStore[];
let databases: readonly Database[];
beforeAll(async () => {
  server = await startPostgres();
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
  databases = [0, 1, 2].map(() => new Database({ url, schema: 'test' }));
  database = databases[0] as Database;
  stores = databases.map((each) => new PostgresResourceStore({ database: each }));
  replicas = stores.map((store) => {
    const kinds = new KindRegistry([{ definition: PROJECT }]);
    const api = new LocalResourceApi({ store, kinds });
    const projects = new ProjectOfWrite(new TypedClient(api, PROJECT, CONTEXT));
    kinds.add({ definition: CLUSTER, admit: [quotaAdmission(projects, store)] });
    return api;
  });
});
afterAll(async () => {
  for (const store of stores) await store.close();
  for (const each of databases) await each.close();
  await server.stop();
});

function document(project: string, name: string, workers: number): KubeObject {
  const spec = {
    accountRef: { name: 'sandbox' },
    region: 'us-east-1',
    kubernetes: { version: 'v1.31.4' },
    controlPlane: { replicas: 1 },
    nodePools: [{ name: 'workers', replicas: workers, machineType: 'm5.xlarge' }],
  };
  const metadata = { name, namespace: project } as KubeObject['metadata'];
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata, spec };
}

async function createProject(name: string, quotas: Record<string, number>): Promise<void> {
  const { spec, apiVersion, kind } = aProject(name, { quotas });
  const metadata = { name } as KubeObject['metadata'];
  await (replicas[0] as LocalResourceApi).create(PROJECTS, { apiVersion, kind, metadata, spec }, {}, CONTEXT);
}

async function run(project: string, step: Step): Promise<unknown> {
  const api = replicas[step.replica] as LocalResourceApi;
  const ref = { ...CLUSTERS, namespace: project, name: step.name };
  switch (step.kind) {
    case 'create':
      return api.create(CLUSTERS, document(project, step.name, step.replicas), {}, CONTEXT);
    case 'scale':
      return api.patch(ref, { spec: document(project, step.name, step.replicas)['spec'] }, { type: 'merge' }, CONTEXT);
    case 'remove':
      return api.remove(ref, {}, CONTEXT);
    case 'limit':
      return api.patch({ ...PROJECTS, name: project }, { spec: { quotas: step.quotas } }, { type: 'merge' }, CONTEXT);
  }
}

/** Every state that was ever committed, in order: nothing grew beyond the quota of that moment. */
async function checkHistory(project: string): Promise<number> {
  const rows = await database.rows<{ type: string; kind: string; name: string; object: KubeObject }>(
    `SELECT type, kind, name, object FROM resource_changes
      WHERE namespace = $1 OR (kind = 'Project' AND name = $1) ORDER BY revision`,
    [project],
  );
  const clusters = new Map<string, Cluster>();
  let quotas: Project['spec']['quotas'] = {};
  for (const { type, kind, name, object } of rows) {
    const before = usageOf([...clusters.values()]);
    if (kind === 'Project') quotas = (object as Project).spec.quotas;
    else if (type === 'DELETED') clusters.delete(name);
    else clusters.set(name, object as Cluster);
    const after = usageOf([...clusters.values()]);
    for (const quota of QUOTA_NAMES) {
      if (after[quota] > before[quota]) expect(after[quota]).toBeLessThanOrEqual(quotas[quota] ?? Infinity);
    }
  }
  return rows.length;
}

const step: fc.Arbitrary<Step> = fc
  .record({ replica: fc.nat(2), name: fc.constantFrom(...NAMES), replicas: fc.nat(6) })
  .chain((base) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({ ...base, kind: 'create' as const }) },
      { weight: 4, arbitrary: fc.constant({ ...base, kind: 'scale' as const }) },
      { weight: 2, arbitrary: fc.constant({ ...base, kind: 'remove' as const }) },
      {
        weight: 1,
        arbitrary: fc
          .record({ clusters: fc.nat(5), nodes: fc.nat(15), vcpu: fc.nat(60) })
          .map((quotas) => ({ ...base, kind: 'limit' as const, quotas })),
      },
    ),
  );

describe('quotas over replicas', () => {
  it('are never passed, whatever comes at once', async () => {
    let number = 0;
    let committed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const project = `team-${(number += 1)}`;
        await createProject(project, { clusters: 4, nodes: 12, vcpu: 40 });
        for (const name of NAMES.slice(0, 3)) await run(project, { kind: 'create', name, replicas: 1, replica: 0 });
        const settled = await Promise.allSettled(steps.map((each) => run(project, each)));
        for (const result of settled) {
          if (result.status === 'rejected') expect(hasCode(result.reason, ...EXPECTED)).toBe(true);
        }
        committed += await checkHistory(project);
      }),
      { numRuns: 25 },
    );
    // More than the Projects and what they began with.
    expect(committed).toBeGreaterThan(number * 4);
  });

  it('are used to the last machine by creates that come at once', async () => {
    await createProject('full', { clusters: 10, nodes: 20 });
    const creates = Array.from({ length: 60 }, (_, index) =>
      run('full', { kind: 'create', name: `c${index}`, replicas: 1, replica: index % 3 }),
    );
    const settled = await Promise.allSettled(creates);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ details: { reason: 'QuotaExceeded' } });
    }
    await checkHistory('full');
  });

  it('do not let a cluster into a Project that goes at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const project = `gone-${round}`;
      await createProject(project, {});
      const creates = NAMES.map((name, index) =>
        run(project, { kind: 'create', name, replicas: 1, replica: index % 3 }),
      );
      const removal = (replicas[1] as LocalResourceApi).remove({ ...PROJECTS, name: project }, {}, CONTEXT);
      const settled = await Promise.allSettled([...creates, removal]);
      const order = await database.rows<{ type: string; kind: string }>(
        `SELECT type, kind FROM resource_changes WHERE namespace = $1 OR name = $1 ORDER BY revision`,
        [project],
      );
      const end = order.findIndex(({ type, kind }) => kind === 'Project' && type === 'DELETED');
      expect(order.slice(end).map(({ kind }) => kind)).toEqual(['Project']);
      for (const result of settled) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'NotFound' });
      }
    }
  });
});
