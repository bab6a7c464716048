import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { machineSpec } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';

const [SERVER, WORKER] = ['demo-control-plane-0', 'demo-workers-0'];
const OTHER = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
const CONTROL_PLANE = { key: 'node-role.kubernetes.io/controlplane', value: 'true', effect: 'NoSchedule' };
const ETCD = { key: 'node-role.kubernetes.io/etcd', value: 'true', effect: 'NoExecute' };

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
});
afterEach(() => bench.watches.close());

const nodeRef = (name: string): { apiVersion: string; kind: string; name: string } => ({
  ...{ apiVersion: 'v1', kind: 'Node', name },
});
const have = (name: string, taints: readonly object[]): void =>
  bench.target.interfere(nodeRef(name), (node) => ({ ...node, spec: { taints } }));
const taintsOf = async (name: string): Promise<unknown> =>
  ((await bench.target.get(nodeRef(name))).spec as { taints?: unknown } | undefined)?.taints ?? [];

describe('a node of the control plane', () => {
  it.each([
    { name: 'it has none', given: [], want: [CONTROL_PLANE] },
    { name: 'that of etcd is missing', given: [CONTROL_PLANE, OTHER], want: [CONTROL_PLANE, OTHER] },
    { name: 'it has that of etcd alone', given: [ETCD, OTHER], want: [ETCD, OTHER, CONTROL_PLANE] },
    { name: 'it has both', given: [ETCD, OTHER, CONTROL_PLANE], want: [ETCD, OTHER, CONTROL_PLANE] },
  ])('takes no new workloads where there are workers, and keeps what runs, when $name', async ({ given, want }) => {
    await bench.makeReady(machineSpec([SERVER, WORKER]));
    have(SERVER, given);
    have(WORKER, [OTHER]);
    await bench.pass();
    expect(await taintsOf(SERVER)).toEqual(want);
    expect(await taintsOf(WORKER)).toEqual([OTHER]);

    bench.target.writes.length = 0;
    await bench.pass();
    expect(bench.target.writes).toEqual([]);
  });

  it('takes them where there is no worker, whatever a run has left on it', async () => {
    await bench.makeReady(machineSpec([SERVER]));
    have(SERVER, [ETCD, OTHER, CONTROL_PLANE]);
    await bench.pass();
    expect(await taintsOf(SERVER)).toEqual([OTHER]);
  });

  it.each([
    { name: 'is not ready', worker: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } },
    { name: 'is cordoned', worker: { spec: { unschedulable: true } } },
    { name: 'is no node', worker: undefined },
  ])('stays as it is while the worker that is asked for $name', async ({ worker }) => {
    await bench.makeReady(machineSpec([SERVER, WORKER]));
    if (worker) bench.target.interfere(nodeRef(WORKER), (node) => ({ ...node, ...worker }));
    else await bench.target.remove(nodeRef(WORKER));
    for (const taints of [[], [CONTROL_PLANE, ETCD]]) {
      have(SERVER, taints);
      await bench.pass();
      expect(await taintsOf(SERVER)).toEqual(taints);
    }
  });

  it('stays as it is beside a worker that is on no record', async () => {
    await bench.makeReady(machineSpec([SERVER]));
    bench.target.setNode(WORKER, { ready: true });
    have(SERVER, [CONTROL_PLANE, ETCD]);
    await bench.pass();
    expect(await taintsOf(SERVER)).toEqual([CONTROL_PLANE, ETCD]);
  });
});
