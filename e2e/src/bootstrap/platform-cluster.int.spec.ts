import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster, PlatformStatus } from '@crate/api';
import { NAMESPACE, RELEASE, whyNoHelm } from '@crate/helm-chart';
import { HttpTargetCluster } from '@crate/kubernetes';
import { eventually, type CloudObject } from '@crate/testing';
import { isReady } from '../crate-user.js';
import { BootstrapBench, commandLineOf } from './bootstrap-bench.js';

const PATIENT = { timeoutMs: 240_000 };
const CLUSTER = ['platform', '-n', 'crate-platform'];
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

interface PodStatus {
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly { readonly restartCount: number }[];
}

suite(`a platform in a cluster that it made${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let bench: BootstrapBench;
  beforeAll(async () => {
    bench = await BootstrapBench.start();
  });
  afterAll(async () => bench?.stop());

  const ask = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await bench.run(...args, '--kubeconfig', bench.kubeconfig, '-o', 'json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as T;
  };
  const platformCluster = (): Promise<Cluster> => ask('get', 'cluster', ...CLUSTER);

  it('is taken back on the way: the cloud is empty, nothing runs, and the same directory may be used again', async () => {
    expect(await bench.killAfter('cluster', 'bootstrap.json', bench.bootstrap)).toBeNull();
    const { code, stderr } = await bench.run('bootstrap', 'sandbox', '--data', bench.data, '--rollback');

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await bench.inventory()).toEqual([]);
    expect(bench.processes()).toEqual([]);
  });

  it('is set up by one command, also when that is killed on the way, and nothing in the cloud is touched by the move', async () => {
    expect(await bench.killAfter('chart', 'bootstrap.json', bench.bootstrap)).toBeNull();
    const before = linesOf(await bench.inventory());
    const { code, stdout, stderr } = await bench.run(...bench.bootstrap);

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/The copy is the same[^]*will never act again[^]*The new installation acts/);
    // What was done before it was killed is not done again.
    expect(stdout).not.toContain('[3/11]');
    expect(before.length).toBeGreaterThan(0);
    expect(linesOf(await bench.inventory())).toEqual(before);
    const { url } = await bench.json<{ url: string }>('result.json');
    expect(await readFile(bench.kubeconfig, 'utf8')).toContain(`server: ${url}`);
    expect(bench.processes('singleton')).toEqual([]);
    expect(isReady(await platformCluster())).toBe(true);
  });

  it('changes nothing when it is asked for again', async () => {
    const again = await bench.run(...bench.bootstrap);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
  });

  it('goes on when a process of it was killed, as a pod does', async () => {
    const cluster = new HttpTargetCluster(await readFile(join(bench.data, 'cluster.kubeconfig'), 'utf8'));
    const statusOf = async (): Promise<PodStatus> => {
      const name = `${RELEASE}-policy-mgmt-0`;
      return (await cluster.get({ apiVersion: 'v1', kind: 'Pod', name, namespace: NAMESPACE }))['status'] as PodStatus;
    };
    const before = await statusOf();
    // A service that was too busy to answer in time is shown without its replicas.
    const pid = await eventually(async () => {
      const { services } = await ask<PlatformStatus>('status', '--remote');
      // Replicas of the temporary platform are remembered for a while.
      const replicas = services.find(({ name }) => name === 'policy-mgmt')?.replicas ?? [];
      const pids = replicas.map((each) => each.pid);
      const running = pids.filter((each) => commandLineOf(String(each)).includes('policy-mgmt/'));
      expect(running).toHaveLength(1);
      return running[0] ?? 0;
    }, PATIENT);
    process.kill(pid, 'SIGKILL');

    await eventually(async () => {
      const { containerStatuses, conditions = [], podIP } = await statusOf();
      expect(containerStatuses?.[0]?.restartCount).toBe((before.containerStatuses?.[0]?.restartCount ?? 0) + 1);
      expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
      expect(podIP).toBe(before.podIP);
    }, PATIENT);
    await cluster.close();
  });

  it('keeps the cluster that it runs in: one node more', async () => {
    const { status: before } = await platformCluster();
    const scale = ['clusters', 'scale', ...CLUSTER, '--replicas', '2', '--wait', '--kubeconfig', bench.kubeconfig];
    const scaled = await bench.run(...scale);
    expect(scaled).toMatchObject({ code: 0 });
    const after = await platformCluster();
    expect([isReady(after), after.status?.nodes?.ready]).toEqual([true, (before?.nodes?.ready ?? 0) + 1]);
  });

  it('is not deleted by mistake, by an administrator either', async () => {
    const { code, stderr } = await bench.run('clusters', 'delete', ...CLUSTER, '--kubeconfig', bench.kubeconfig);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('is protected from deletion') });
  });

  it('is removed by one command, also when that is killed on the way, with a proof that nothing is left', async () => {
    const remove = ['remove', '--data', bench.data, '--confirm', 'platform', '--result', bench.file('proof.json')];
    expect(await bench.killAfter('singleton', 'remove.json', remove)).toBeNull();
    const { code, stderr } = await bench.run(...remove);
    expect({ code, stderr }).toMatchObject({ code: 0 });

    expect(await bench.inventory()).toEqual([]);
    expect(await bench.json('proof.json')).toMatchObject({ account: '111122223333', regions: ['us-east-1'], left: 0 });
    expect(bench.processes()).toEqual([]);
  });
});

/** Each object and each of its tags, in an order of their own: the difference of two names what was made, removed or tagged anew. */
function linesOf(objects: readonly CloudObject[]): readonly string[] {
  const lines = objects.flatMap(({ type, id, tags, ...more }) => [
    `${type}/${id} ${JSON.stringify(more)}`,
    ...Object.entries(tags).map(([tag, value]) => `${type}/${id} ${tag}=${value}`),
  ]);
  return lines.sort();
}
