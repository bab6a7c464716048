import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, Manifest } from '@crate/api';
import { forbidden } from '@crate/errors';
import { engineFailure } from '../engine/engine-failure.js';
import { ClusterBench } from '../testing/cluster-bench.js';
import { machineSpec, NODE_NAMES } from '../testing/builders.js';

const REF = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'crate:cluster-admins' };
const EVERYBODY = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'crate:cluster-admins' }];
const VERA = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'vera' }];

let bench: ClusterBench;
beforeEach(async () => {
  bench = new ClusterBench();
  await bench.makeReady(machineSpec(['demo-control-plane-0', 'demo-workers-0']));
});

function binding(): Promise<KubeObject | undefined> {
  return bench.target.find(REF);
}

interface Change {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly role?: string;
}

async function changeTo(subjects: unknown, { annotations = {}, role = 'cluster-admin' }: Change = {}): Promise<void> {
  const { apiVersion, kind } = REF;
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  const object: Manifest = { apiVersion, kind, metadata: { name: REF.name, annotations }, roleRef, subjects };
  await bench.target.applyObject(object, { fieldManager: 'somebody', force: true });
}

describe('the binding of administrators', () => {
  it('makes the group administrators of a cluster that is up', async () => {
    expect(await binding()).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: EVERYBODY,
    });
  });

  it('is there while nodes are not ready, when people have to look into the cluster', async () => {
    await bench.target.remove(REF);
    bench.target.setNode('demo-workers-0', { ready: false });
    expect(await bench.pass()).toMatchObject({ kind: 'waiting' });
    expect(await binding()).toMatchObject({ subjects: EVERYBODY });
  });

  it('is there while the engine fails', async () => {
    await bench.target.remove(REF);
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    bench.engine.failure = engineFailure('SshUnreachable', 'No machine answers');
    await expect(bench.pass()).rejects.toThrow('No machine answers');
    expect(await binding()).toMatchObject({ subjects: EVERYBODY });
  });

  it('is made anew when it gives another role, which no cluster changes', async () => {
    await changeTo(EVERYBODY, { role: 'view' });
    bench.target.writes.length = 0;
    await bench.pass();
    expect(await binding()).toMatchObject({ roleRef: { name: 'cluster-admin' }, subjects: EVERYBODY });
    const name = 'ClusterRoleBinding crate:cluster-admins';
    expect(bench.target.writes).toEqual([`remove ${name}`, `apply ${name}`]);
  });

  it('is put back when it was removed or changed, and written no more often', async () => {
    await changeTo(VERA);
    await bench.pass();
    expect(await binding()).toMatchObject({ subjects: EVERYBODY });
    const before = bench.target.writes.length;
    await bench.pass();
    expect(bench.target.writes).toHaveLength(before);
  });

  it('is left to who takes rights away and says so', async () => {
    await changeTo(VERA, { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } });
    await bench.pass();
    expect(await binding()).toMatchObject({ subjects: VERA });
  });

  it('holds nothing up where the cluster refuses it', async () => {
    await bench.target.remove(REF);
    bench.target.refusal = () => new Error('denied by a webhook');
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.logger.lines.some(({ message }) => message.startsWith('The binding of administrators'))).toBe(true);
  });

  it('tells who asks for it what the cluster refuses it with, and nothing of one that does not answer', async () => {
    const { uid } = (await bench.read()).metadata;
    expect(await bench.admins.keep(uid)).toBeUndefined();
    await bench.target.remove(REF);
    const refusal = forbidden('denied by a webhook');
    bench.target.refusal = () => refusal;
    expect(await bench.admins.keep(uid)).toBe(refusal);
    bench.target.isDown = true;
    expect(await bench.admins.keep(uid)).toBeUndefined();
  });
});
