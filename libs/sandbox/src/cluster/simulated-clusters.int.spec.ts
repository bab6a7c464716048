import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, freePort } from '@crate/testing';
import { buildSandbox, TestBench } from './testing/test-bench.js';
import { aConfigMap, aDeployment, aService } from './testing/manifests.js';
import type { RunningCluster } from './running-cluster.js';

jest.setTimeout(240_000);

const READY = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=90s'];

describe('simulated clusters', () => {
  let bench: TestBench;
  beforeAll(buildSandbox);
  beforeEach(async () => {
    bench = await TestBench.start();
    await bench.up();
  });
  afterEach(() => bench.stop());

  const kubectl = (args: string, input?: unknown): Promise<string> => bench.kubectlSucceeds(args.split(' '), input);

  async function running(): Promise<RunningCluster> {
    const [cluster] = bench.clusters.list();
    if (!cluster) throw new Error('There is no cluster');
    return cluster.run();
  }

  async function revision(): Promise<string> {
    const cluster = await running();
    await cluster.settled();
    return cluster.scope.store.currentRevision();
  }

  async function deployWeb(replicas: number): Promise<void> {
    for (const manifest of [aConfigMap(), aDeployment({ replicas }), aService()]) await kubectl('apply -f -', manifest);
    await kubectl('rollout status deployment/web --timeout=90s');
  }

  it('are as they were after a restart: address, authority, tokens and objects', async () => {
    await deployWeb(2);
    await kubectl('create serviceaccount ci');
    const token = (await kubectl('create token ci')).trim();
    const pods = await kubectl('get pods -o name');
    await bench.restart();

    expect(await kubectl('get pods -o name')).toBe(pods);
    const withToken = await bench.kubectl(['--token', token, 'get', 'pods']);
    // Known again, though still without any right.
    expect(withToken.output).toContain('User "system:serviceaccount:default:ci" cannot list');
  });

  it('write nothing once they are settled, also not after a restart', async () => {
    await deployWeb(3);
    await kubectl(READY.join(' '));
    const before = await revision();
    await bench.restart();
    await kubectl('get pods');

    expect(await revision()).toBe(before);
  });

  it('go on where a killed process left them', async () => {
    await kubectl('apply -f -', aConfigMap());
    bench.latency.scale = 0.2;
    await kubectl('apply -f -', aDeployment({ replicas: 6 }));
    bench.latency.scale = 0;
    await bench.crash();

    await kubectl('rollout status deployment/web --timeout=90s');
    expect((await kubectl('get pods -o name')).trim().split('\n')).toHaveLength(6);
    const addresses = (await kubectl('get pods -o jsonpath={.items[*].status.podIP}')).split(' ');
    expect(new Set(addresses).size).toBe(6);
  });

  it('follow machines: a stopped one makes its node NotReady and its pods go elsewhere', async () => {
    await deployWeb(4);
    bench.machines.change('i-worker-0', { isRunning: false });
    await kubectl('wait --for=condition=Ready=Unknown node/demo-workers-0 --timeout=90s');
    await kubectl('rollout status deployment/web --timeout=90s');
    await eventually(async () => {
      const nodes = await kubectl('get pods -l app=web -o jsonpath={.items[*].spec.nodeName}');
      expect(nodes.split(' ')).toEqual(Array.from({ length: 4 }, () => 'demo-workers-1'));
    });

    bench.machines.change('i-worker-0', { isRunning: true });
    await kubectl('wait --for=condition=Ready node/demo-workers-0 --timeout=90s');
    expect(await kubectl('get node demo-workers-0 -o jsonpath={.spec.taints}')).toBe('');
    await eventually(async () =>
      expect(await kubectl('-n kube-system get daemonset canal')).toMatch(/^canal +5 +5 +5/m),
    );
  });

  it('keep pods waiting that fit nowhere, and say why', async () => {
    await kubectl('apply -f -', aConfigMap());
    await kubectl('apply -f -', aDeployment({}, { nodeSelector: { disk: 'fast' } }));
    const message = 'get pods -o jsonpath={.items[*].status.conditions[*].message}';
    await eventually(async () => expect(await kubectl(message)).toContain("didn't match Pod's node affinity/selector"));

    await kubectl('label node demo-workers-1 disk=fast');
    await kubectl('rollout status deployment/web --timeout=90s');
  });

  it('wait for configuration that pods mount', async () => {
    await kubectl('apply -f -', aDeployment());
    await eventually(async () => expect(await kubectl('get pods')).toContain('ContainerCreating'));
    await kubectl('apply -f -', aConfigMap());
    await kubectl('rollout status deployment/web --timeout=90s');
  });

  it('answer only while most etcd members run', async () => {
    await kubectl('get nodes');
    bench.machines.change('i-control-0', { isRunning: false });
    await kubectl('get nodes');
    bench.machines.change('i-control-1', { isRunning: false });
    await eventually(async () => expect((await bench.kubectl(['get', 'nodes'])).output).toContain('refused'));
    bench.machines.change('i-control-1', { isRunning: true });
    await eventually(() => kubectl('get nodes'));
  });

  it('answer nobody while their APIs are held down', async () => {
    await bench.clusters.setApis({ down: true, expired: false });
    await eventually(async () => expect((await bench.kubectl(['get', 'nodes'])).output).toContain('refused'));
    await bench.clusters.setApis({ down: false, expired: false });
    await eventually(() => kubectl('get nodes'));
  });

  it('show a certificate whose time is over, when they are told to', async () => {
    await bench.clusters.setApis({ down: false, expired: true });
    expect((await bench.kubectl(['get', 'nodes'])).output).toContain('certificate has expired');
    await bench.clusters.setApis({ down: false, expired: false });
    await kubectl('get nodes');
  });

  it('move with their load balancer', async () => {
    const port = await freePort();
    bench.machines.balance({ id: 'lb-2', address: '127.0.0.1', port });
    await eventually(async () => expect((await bench.kubectl(['get', 'nodes'])).output).toContain('refused'));
    const there = ['--server', `https://127.0.0.1:${port}`, 'get', 'nodes'];
    await eventually(() => bench.kubectlSucceeds(there));
    bench.machines.balance(undefined);
    await eventually(async () => expect((await bench.kubectl(there)).output).toContain('refused'));
  });

  it('disappear with their machines', async () => {
    bench.machines.terminate('i-worker-0', 'i-worker-1', 'i-control-0', 'i-control-1');
    await bench.clusters.followMachines();
    expect(bench.clusters.list()).toHaveLength(1);
    bench.machines.terminate('i-control-2');
    await eventually(() => expect(bench.clusters.list()).toHaveLength(0));
    await eventually(async () => expect(await readdir(join(bench.directory, 'clusters'))).toEqual([]));
  });
});
