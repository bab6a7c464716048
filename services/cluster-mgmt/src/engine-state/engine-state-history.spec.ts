import { ENGINE_STATE_VERSION, KUBERNETES_CLUSTER, type KubernetesCluster, type StateDiff } from '@crate/api';
import { PlatformError, toStatus } from '@crate/errors';
import type { CallContext, ResourceRef } from '@crate/resource-client';
import { InMemorySecretStore } from '@crate/secrets';
import { StateVersionApi, type StateRestored } from '@crate/service-host';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { engineLiveness } from '../engine/engine-liveness.js';
import { InMemoryEngineRunRepository } from '../engine/in-memory-engine-run.repository.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { aBundle, anRkeState } from '../testing/an-rke-state.js';
import { BARE_SPEC } from '../testing/builders.js';
import { KEY, LocalClients } from '../testing/local-clients.js';
import { EngineLockView } from './engine-lock-view.js';
import { engineStateFacts } from './engine-state-facts.js';
import { EngineStateHistory } from './engine-state-history.js';
import { versionedEngineStates } from './engine-state.serving.js';

const ADA: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const KIND = SECRET_KINDS.engineState;
const RUN = { clusterUid: '', kind: 'up', configHash: 'h', workspace: '/w' } as const;
const bundle = aBundle();
const versions = [['a'], ['a', 'b'], ['a', 'b', 'c']].map((nodes) => anRkeState({ nodes, bundle }));

let secrets: InMemorySecretStore;
let runs: InMemoryEngineRunRepository;
let cluster: KubernetesCluster;
let restored: StateRestored[];
let isWorkedOn: boolean;
let api: StateVersionApi<KubernetesCluster>;

beforeEach(async () => {
  const local = new LocalClients();
  secrets = new InMemorySecretStore();
  runs = new InMemoryEngineRunRepository();
  restored = [];
  isWorkedOn = false;
  cluster = await local.create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
  const locks = new EngineLockView({
    runs,
    liveness: engineLiveness(runs, { leaseMs: 30_000, graceMs: 4000 }),
    isWorkedOn: () => Promise.resolve(isWorkedOn),
  });
  const history = new EngineStateHistory({ secrets, runs, locks });
  api = new StateVersionApi(versionedEngineStates(local.api, history), (_, what) =>
    Promise.resolve(void restored.push(what)),
  );
  for (const [index, bytes] of versions.entries()) await store(bytes, `run-${index}`);
});

async function store(bytes: Uint8Array, run: string, epoch = 1n): Promise<number> {
  return secrets.put(cluster.metadata.uid, KIND, bytes, { epoch, facts: () => engineStateFacts(bytes, run) });
}

function refOf(serial: number): ResourceRef {
  const { group, version, plural } = ENGINE_STATE_VERSION;
  return { group, version, plural, name: `demo.${serial}`, namespace: KEY.namespace };
}

function restore(serial: number, body: unknown = { reason: 'INC-7' }, dryRun = false): Promise<unknown> {
  return api.writeSubresource(refOf(serial), 'restore', { verb: 'create', body, dryRun }, ADA);
}

async function statusOf(work: Promise<unknown>): Promise<ReturnType<typeof toStatus>> {
  return toStatus(
    await work.then(
      () => 'did not throw',
      (error: unknown) => error,
    ),
  );
}

async function newest(): Promise<Uint8Array | undefined> {
  return (await secrets.find(cluster.metadata.uid, KIND))?.plain;
}

describe('versions of an engine state', () => {
  it('are listed with what is known of them, and nothing that is in them', async () => {
    const { items } = await api.list(ENGINE_STATE_VERSION, { namespace: KEY.namespace }, ADA);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['demo.3', 'demo.2', 'demo.1']);
    expect(items[0]).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'KubernetesCluster', name: 'demo' }] },
      spec: {
        clusterRef: { name: 'demo' },
        serial: 3,
        newest: true,
        run: 'run-2',
        nodes: 3,
        certificates: 1,
        kubernetesVersion: 'v1.31.4',
        lineage: expect.any(String),
      },
    });
    expect(ENGINE_STATE_VERSION.body.safeParse({ spec: items[0]!['spec'] }).error).toBeUndefined();
    expect(JSON.stringify(items)).not.toContain('10.0.0.');
  });

  it('are compared', async () => {
    const diff = (await api.readSubresource(refOf(2), 'diff', ADA)) as StateDiff;
    expect(diff).toMatchObject({
      kind: 'StateDiff',
      from: { serial: 1 },
      to: { serial: 2 },
      counts: { added: 1, removed: 0, changed: 0 },
    });
    expect(diff.from.lineage).toBe(diff.to.lineage);
    expect(await statusOf(api.readSubresource(refOf(1), 'diff', ADA))).toMatchObject({ code: 404 });
  });

  it('cannot be watched or written, and say what to do instead', async () => {
    const watch = api.watch()[Symbol.asyncIterator]();
    for (const work of [watch.next(), api.create(ENGINE_STATE_VERSION), api.remove(refOf(1))]) {
      const status = await statusOf(work);
      expect([status.code, status.message]).toEqual([405, expect.stringContaining('watch the KubernetesCluster')]);
    }
  });
});

describe('a restore of an engine state', () => {
  it('is a new version that says who and why, which the engine has to run with', async () => {
    expect(await restore(1)).toMatchObject({
      metadata: { name: 'demo.4' },
      spec: { serial: 4, newest: true, changedBy: 'ada', reason: 'INC-7', restoredFrom: 1, nodes: 1 },
    });
    expect(await newest()).toEqual(versions[0]);
    expect(restored).toEqual([{ from: 1, serial: 4, by: 'ada', reason: 'INC-7' }]);
    expect(await runs.list(cluster.metadata.uid)).toMatchObject([{ kind: 'edit', state: 'abandoned' }]);
  });

  it('is refused while a run lives, and says who works on the cluster', async () => {
    isWorkedOn = true;
    await runs.open({ ...RUN, id: 'r', clusterUid: cluster.metadata.uid, epoch: 2n });
    const status = await statusOf(restore(1));
    expect(status).toMatchObject({ code: 409, message: expect.stringContaining('locked by cluster-mgmt for up') });
    expect(status.details?.causes).toMatchObject([{ reason: 'StateLocked' }]);
    expect([restored, await newest()]).toEqual([[], versions[2]]);
  });

  it('goes past a run that is dead, whose late writes are refused', async () => {
    await runs.open({ ...RUN, id: 'r', clusterUid: cluster.metadata.uid, epoch: 2n });
    await restore(1);
    await expect(store(versions[1]!, 'r', 2n)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await newest()).toEqual(versions[0]);
    await store(versions[1]!, 'next', 3n);
  });

  it.each([
    { name: 'a newer pass has begun with what there is', late: () => store(versions[2]!, 'run-2', 9n) },
    { name: 'a pass has stored what it made', late: () => store(versions[1]!, 'run-3', 1n) },
  ])('is refused where it stood still until $name', async ({ late }) => {
    const put = secrets.put.bind(secrets);
    secrets.put = async (...given) => {
      secrets.put = put;
      await late();
      return put(...given);
    };
    expect(await statusOf(restore(1))).toMatchObject({ code: 409 });
    expect([restored, await newest()]).not.toContainEqual(versions[0]);
  });

  it('heals a state that was damaged; a damaged version is no good for it', async () => {
    const find = secrets.findVersion.bind(secrets);
    const damage = new PlatformError('Invariant', 'Damaged', { details: { reason: 'SecretTampered' } });
    secrets.findVersion = (uid, kind, serial) => (serial === 3 ? Promise.reject(damage) : find(uid, kind, serial));
    const status = await statusOf(restore(3));
    expect(status).toMatchObject({ code: 409, message: expect.stringContaining('changed outside of the platform') });
    expect(JSON.stringify(status.details)).toContain('crate state restore --engine');
    await restore(2);
    expect(await newest()).toEqual(versions[1]);
  });

  it('writes nothing in a dry run', async () => {
    await restore(1, { reason: 'x' }, true);
    expect([restored, await newest()]).toEqual([[], versions[2]]);
  });

  it.each([{}, { reason: ' ' }, { reason: 5 }, { reason: 'x', more: true }])('with %j is refused', async (body) => {
    expect(await statusOf(restore(1, body))).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(await statusOf(restore(9))).toMatchObject({ code: 404 });
  });
});
