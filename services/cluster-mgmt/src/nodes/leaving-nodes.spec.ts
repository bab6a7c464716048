import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { forbidden, timeout, unavailable } from '@crate/errors';
import { NODE_NAMES, machineSpec, withoutDocker } from '../testing/builders.js';
import { ClusterBench } from '../testing/cluster-bench.js';

const LEAVING = 'demo-workers-1';
const POOL = { 'lifecycle.crate.dev/pool': 'workers' };
const WAITING = { kind: 'waiting', reason: 'WaitingForNodesToLeave' };
/** All but the date go on as they do. */
const REAL = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;
const node = { apiVersion: 'v1', kind: 'Node', name: LEAVING };

let bench: ClusterBench;
beforeEach(async () => {
  bench = new ClusterBench();
  await bench.makeReady(machineSpec([...NODE_NAMES, LEAVING]));
  bench.engine.calls.length = 0;
});
afterEach(() => bench.watches.close());

async function havePod(name: string, rest: Partial<KubeObject> = {}): Promise<void> {
  const { metadata, ...fields } = rest;
  const manifest = {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { nodeName: LEAVING } },
    ...fields,
    metadata: { name, namespace: 'shop', ...metadata },
  };
  await bench.target.applyObject(manifest, { fieldManager: 'test' });
  bench.target.writes.length = 0;
}

const scaleDown = (): Promise<void> => bench.setSpec(machineSpec());
const message = async (): Promise<string | undefined> => (await bench.read()).status?.progress?.message;
const spec = async (): Promise<unknown> => (await bench.target.get(node)).spec;

describe('a node that is no longer asked for', () => {
  it('is cordoned and its pods are evicted before the engine takes it away', async () => {
    await havePod('web');
    await scaleDown();

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.engine.calls).not.toContain('up');
    expect(bench.target.writes).toEqual([`apply Node ${LEAVING}`, 'evict Pod web', 'remove Pod web']);
    expect(await spec()).toEqual({ unschedulable: true });

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls.at(-1)).toBe('up');
    expect(await bench.target.find(node)).toBeUndefined();
  });

  it('is waited for while a budget keeps a pod, says so, and writes nothing again', async () => {
    bench.target.keptPods.add('web');
    await havePod('web');
    await scaleDown();
    await bench.pass();
    const [writes, { metadata }] = [bench.target.writes.length, await bench.read()];

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.target.writes).toHaveLength(writes);
    expect((await bench.read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await message()).toBe(
      `Draining ${LEAVING}: pods may not go yet: shop/web (Cannot evict pod as it would violate the pod's disruption budget.)`,
    );
    expect(bench.engine.calls).not.toContain('up');

    bench.nowMs += 300_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.engine.calls.at(-1)).toBe('up');
  });

  it('is waited for by a replica, too, whose clock is ten minutes ahead of that of the one that cordoned it', async () => {
    bench.target.keptPods.add('web');
    await havePod('web');
    await scaleDown();
    await bench.pass();

    jest.useFakeTimers({ now: Date.now() + 600_000, doNotFake: [...REAL] });
    try {
      expect(await bench.pass()).toMatchObject(WAITING);
    } finally {
      jest.useRealTimers();
    }
    expect(bench.engine.calls).not.toContain('up');
  });

  it('is known of once the run that made it is settled, though its service died', async () => {
    let known: readonly string[] = NODE_NAMES;
    bench.engine.members = () => Promise.resolve(known);
    bench.engine.settleEarlierRuns = () => Promise.resolve(void (known = [...NODE_NAMES, LEAVING]));
    await havePod('web');
    await scaleDown();

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.target.writes).toContain('evict Pod web');
  });

  it('is told of in one line when many leave, with no more than three pods by name', async () => {
    bench.target.stuckKinds.add('Pod');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await havePod(name);
    await havePod('f', { spec: { nodeName: NODE_NAMES[1] } });
    await bench.setSpec(machineSpec(NODE_NAMES.slice(0, 1)));
    await bench.pass();

    expect(await message()).toBe(`Draining ${NODE_NAMES[1]}: pods have not ended: shop/f; 1 more to be drained`);
    bench.target.interfere({ apiVersion: 'v1', kind: 'Pod', name: 'f', namespace: 'shop' });
    await bench.pass();
    expect(await message()).toBe(`Draining ${LEAVING}: pods have not ended: shop/a, shop/b, shop/c and 2 more`);
  });

  it('is waited for while its pods end', async () => {
    bench.target.stuckKinds.add('Pod');
    await havePod('web');
    await scaleDown();
    await bench.pass();

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(await message()).toBe(`Draining ${LEAVING}: pods have not ended: shop/web`);
    expect(bench.target.writes.filter((write) => write.startsWith('evict'))).toHaveLength(1);
  });

  it.each<{ readonly reason: string; readonly pod: Partial<KubeObject> }>([
    {
      reason: 'a pod of a daemon, which would come again',
      pod: {
        metadata: {
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'canal', uid: '1', controller: true }],
        } as unknown as KubeObject['metadata'],
      },
    },
    {
      reason: 'a pod of the kubelet itself',
      pod: { metadata: { annotations: { 'kubernetes.io/config.mirror': '1' } } as unknown as KubeObject['metadata'] },
    },
    { reason: 'a pod that has ended', pod: { status: { phase: 'Succeeded' } } },
    { reason: 'a pod of another node', pod: { spec: { nodeName: NODE_NAMES[0] } } },
  ])('is not held up by $reason', async ({ pod }) => {
    await havePod('web', pod);
    await scaleDown();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes.filter((write) => write.startsWith('evict'))).toEqual([]);
  });

  it('is not waited for when it has been silent for long, but for a moment it is', async () => {
    bench.target.stuckKinds.add('Pod');
    await havePod('web');
    await scaleDown();
    const since = new Date(bench.nowMs - 30_000).toISOString();
    bench.target.setNode(LEAVING, { ready: 'silent', since });
    expect(await bench.pass()).toMatchObject(WAITING);

    bench.nowMs += 30_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is waited for when its kubelet says that it is not ready: it ends pods all the same', async () => {
    bench.target.stuckKinds.add('Pod');
    await havePod('web');
    await scaleDown();
    bench.target.setNode(LEAVING, { ready: false, since: new Date(bench.nowMs - 90_000).toISOString() });

    expect(await bench.pass()).toMatchObject(WAITING);
  });

  it('is not waited for when no Docker was there for long, so that none of its pods ends', async () => {
    bench.target.stuckKinds.add('Pod');
    await havePod('web');
    await scaleDown();
    withoutDocker(bench.target, LEAVING, new Date(bench.nowMs - 90_000).toISOString());

    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is left to the engine when the API stays silent', async () => {
    await havePod('web');
    await scaleDown();
    bench.target.isDown = true;
    expect(await bench.pass()).toMatchObject(WAITING);
    expect(await message()).toBe(`Draining ${LEAVING}: the API server does not answer`);

    bench.nowMs += 60_000;
    bench.engine.failure = new Error('no API');
    await expect(bench.pass()).rejects.toThrow('no API');
    expect(bench.engine.calls.at(-1)).toBe('up');
  });

  it('keeps its time when the API was silent before, at the look that follows a failed run of the engine', async () => {
    bench.target.isDown = true;
    bench.engine.failure = new Error('no SSH');
    await bench.setSpec(machineSpec([...NODE_NAMES, LEAVING, 'demo-workers-2']));
    await expect(bench.pass()).rejects.toThrow('no SSH');

    bench.nowMs += 120_000;
    await scaleDown();
    expect(await bench.pass()).toMatchObject(WAITING);
    expect(await message()).toBe(`Draining ${LEAVING}: the API server does not answer`);
  });

  it.each([
    { what: 'says how far its pods are', answer: () => bench.target.stuckKinds.add('Pod') },
    {
      what: 'does not say which nodes there are',
      answer: () => (bench.target.list = () => Promise.reject(forbidden('Not for you'))),
    },
  ])('ends the silence of a cluster that $what', async ({ answer }) => {
    await havePod('web');
    bench.target.isDown = true;
    await bench.pass();
    expect((await bench.read()).status?.silentSince).toBeDefined();

    bench.target.isDown = false;
    answer();
    await scaleDown();
    expect(await bench.pass()).toMatchObject(WAITING);
    expect((await bench.read()).status?.silentSince).toBeUndefined();
  });

  it('does not end the silence of a cluster that fails to answer', async () => {
    bench.target.isDown = true;
    await bench.pass();
    const { silentSince } = (await bench.read()).status!;

    bench.target.isDown = false;
    bench.target.list = () => Promise.reject(unavailable('etcd has no leader'));
    bench.nowMs += 5000;
    await scaleDown();
    expect(await bench.pass()).toMatchObject(WAITING);
    expect((await bench.read()).status?.silentSince).toBe(silentSince);
  });

  it('keeps its pods when policy denies the change', async () => {
    await havePod('web');
    bench.policies.answer = { allowed: false, violations: [] };
    await scaleDown();
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden' });

    expect(bench.target.writes).toEqual([]);
  });

  it('waits in the words of the cluster when that refuses a node, and empties the others', async () => {
    await havePod('web');
    await havePod('api', { spec: { nodeName: NODE_NAMES[1] } });
    const refusal = forbidden('A policy forbids it');
    bench.target.refusal = ({ metadata }) => (metadata.name === LEAVING ? refusal : undefined);
    await bench.setSpec(machineSpec(NODE_NAMES.slice(0, 1)));

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.target.writes).toEqual([`apply Node ${NODE_NAMES[1]}`, 'evict Pod api', 'remove Pod api']);
    bench.nowMs += 299_000;
    expect(await bench.pass()).toMatchObject(WAITING);
    expect(await message()).toBe(`Draining ${LEAVING}: the cluster refuses it: A policy forbids it`);

    bench.nowMs += 1000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await bench.target.find(node)).toBeUndefined();
  });

  it('waits as long when the cluster does not say which nodes there are', async () => {
    const list = bench.target.list.bind(bench.target);
    bench.target.list = () => Promise.reject(forbidden('Not for you'));
    await scaleDown();
    await bench.pass();
    bench.nowMs += 299_000;
    expect(await bench.pass()).toMatchObject(WAITING);
    expect(await message()).toBe(`Draining ${LEAVING}: Not for you`);

    bench.target.list = list;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it('is emptied of the others when one call is not answered by a cluster that answers', async () => {
    await havePod('web');
    await havePod('api');
    const evict = bench.target.evict.bind(bench.target);
    bench.target.evict = (pod) => (pod.name === 'web' ? Promise.reject(timeout('No answer in time')) : evict(pod));
    await scaleDown();

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.target.writes).toContain('evict Pod api');
    expect(await message()).toBe(`Draining ${LEAVING}: pods may not go yet: shop/web (No answer in time)`);

    const asked = jest.spyOn(bench.target, 'evict');
    bench.nowMs += 300_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(asked).not.toHaveBeenCalled();
  });

  it('is waited for no longer than its grace while each call hangs, however many pods it has', async () => {
    for (let pod = 0; pod < 20; pod += 1) await havePod(`web-${pod}`);
    const asked = jest.spyOn(bench.target, 'evict').mockImplementation(() => {
      bench.nowMs += 30_000;
      return Promise.reject(timeout('No answer in time'));
    });
    await scaleDown();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(asked).toHaveBeenCalledTimes(10);
    expect(bench.engine.calls.at(-1)).toBe('up');
  });

  it('takes pods again when it is wanted again, while another leaves and the engine fails', async () => {
    bench.target.keptPods.add('web');
    await havePod('web');
    await scaleDown();
    await bench.pass();
    bench.target.writes.length = 0;
    bench.engine.failure = new Error('no');
    await bench.setSpec(machineSpec([NODE_NAMES[0]!, LEAVING]));
    await bench.pass().catch(() => undefined);

    expect(await spec()).toEqual({ unschedulable: false });
    expect(bench.target.writes).toEqual([`apply Node ${LEAVING}`, `apply Node ${NODE_NAMES[1]}`]);
  });

  it('takes pods again when it is wanted again', async () => {
    bench.target.keptPods.add('web');
    await havePod('web');
    await scaleDown();
    await bench.pass();
    await bench.setSpec(machineSpec([...NODE_NAMES, LEAVING]));

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await spec()).toEqual({ unschedulable: false });
    const writes = bench.target.writes.length;
    await bench.pass();
    expect(bench.target.writes).toHaveLength(writes);
  });
});

describe('what is left of a machine that no run of the engine knows of', () => {
  const ago = (ms: number): string => new Date(bench.nowMs - ms).toISOString();
  const haveSilent = (ms = 61_000): void =>
    bench.target.setNode('demo-workers-2', { ready: 'silent', since: ago(ms), labels: POOL });

  it('goes once its kubelet is silent, and holds nothing up', async () => {
    haveSilent();

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toContain('remove Node demo-workers-2');
    expect((await bench.read()).status?.nodes).toHaveLength(3);
  });

  it('goes once that was so for a minute', async () => {
    haveSilent(30_000);
    expect(await bench.pass()).toMatchObject(WAITING);

    bench.nowMs += 30_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
  });

  it.each([
    { reason: 'runs', options: { ready: true, labels: POOL } },
    { reason: 'has a kubelet that says that it is not ready', options: { ready: false, labels: POOL } },
    { reason: 'was made by hand', options: { ready: 'silent' } },
  ] as const)('stays when it $reason', async ({ options }) => {
    bench.target.setNode('demo-workers-2', { ...options, since: ago(90_000) });

    expect(await bench.pass()).toMatchObject(WAITING);
    expect(bench.target.writes).not.toContain('remove Node demo-workers-2');
  });

  it('stays while the database is older than the world', async () => {
    haveSilent();
    bench.setBack = { epoch: 1, begunAt: new Date('2100-01-01T00:00:00Z'), reason: 'older' };

    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'Recovering' } });
    expect(bench.target.writes).not.toContain('remove Node demo-workers-2');
  });
});
