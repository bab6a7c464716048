import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@crate/testing';
import { parse } from 'yaml';
import { buildSandbox, TestBench } from '../cluster/testing/test-bench.js';
import { writeRkeWrapper } from './write-rke-wrapper.js';

jest.setTimeout(120_000);

const run = promisify(execFile);

describe('rke', () => {
  let bench: TestBench;
  beforeAll(buildSandbox);
  beforeEach(async () => {
    bench = await TestBench.start();
  });
  afterEach(() => bench.stop());

  const file = (name: string): Promise<string> => readFile(join(bench.directory, name), 'utf8');
  const nodeNames = async (): Promise<string[]> => {
    const output = await bench.kubectlSucceeds(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
    return output.split(' ').sort();
  };

  const isWorker = ({ role }: { readonly role: readonly string[] }): boolean => role.includes('worker');
  const taintsOf = async (name: string): Promise<string[]> => {
    const { spec } = JSON.parse(await bench.kubectlSucceeds(['get', 'node', name, '-o', 'json'])) as {
      spec: { taints?: { key: string; value?: string; effect: string }[] };
    };
    return (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}=${value}:${effect}`);
  };

  async function onlyCluster(): Promise<Awaited<ReturnType<TestBench['clusters']['list']>>[number]> {
    const [cluster, ...others] = bench.clusters.list();
    if (!cluster || others.length > 0) throw new Error(`There are ${others.length + 1} clusters`);
    return Promise.resolve(cluster);
  }

  async function revision(): Promise<string> {
    const running = await (await onlyCluster()).run();
    await running.settled();
    return running.scope.store.currentRevision();
  }

  it('brings a cluster up and writes the files the engine writes', async () => {
    await bench.configure({ authentication: { strategy: 'x509', sans: ['api.example.com'] } });
    const { code, output } = await bench.rke('up', '--config', 'cluster.yml');

    expect(code).toBe(0);
    const told = [
      // Before it are the seconds that the run took.
      '] Initiating Kubernetes cluster',
      '[certificates] Generating CA kubernetes certificates',
      'Successfully Deployed state file at [cluster.rkestate]',
      'Building Kubernetes cluster',
      '[dialer] Setup tunnel for host [10.20.1.5]',
      '[network] Deploying port listener containers',
      '[certificates] Deploying kubernetes certificates to Cluster nodes',
      'Successfully Deployed local admin kubeconfig at [kube_config_cluster.yml]',
      '[reconcile] This is newly generated cluster',
      '[etcd] Building up etcd plane..',
      '[controlplane] Building up Controller Plane..',
      '[worker] Building up Worker Plane..',
      '[sync] Syncing nodes Labels and Taints',
      '[network] Setting up network plugin: canal',
      '[addons] Setting up coredns',
      'Finished building Kubernetes cluster successfully',
    ];
    const places = told.map((line) => output.indexOf(line));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(output).toMatch(/^INFO\[\d{4}\] Initiating Kubernetes cluster$/m);

    const state = JSON.parse(await file('cluster.rkestate')) as Record<
      string,
      { certificatesBundle?: object; rkeConfig?: object }
    >;
    expect(Object.keys(state['desiredState']?.certificatesBundle ?? {})).toEqual(
      expect.arrayContaining(['kube-ca', 'kube-apiserver', 'kube-admin', 'kube-node', 'kube-etcd-10-20-1-5']),
    );
    expect(state['currentState']).toEqual(state['desiredState']);
    expect(state['currentState']?.rkeConfig).toMatchObject({
      clusterName: 'demo',
      kubernetesVersion: 'v1.31.4-rancher1-1',
    });
    const kubeConfig = parse(await file('kube_config_cluster.yml')) as { clusters: { cluster: { server: string } }[] };
    expect(kubeConfig.clusters[0]?.cluster.server).toBe('https://10.20.1.5:6443');
    for (const name of ['cluster.rkestate', 'kube_config_cluster.yml']) {
      expect((await stat(join(bench.directory, name))).mode & 0o777).toBe(0o600);
    }
    expect((await nodeNames()).length).toBe(5);
  });

  it('never sends a private key that opens hosts or the cluster', async () => {
    const bodies: string[] = [];
    const spy = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.end(request.url?.endsWith('challenge') ? '{"challenge":"x"}' : '{"event":"finished"}\n');
      });
    }).listen(0, '127.0.0.1');
    await once(spy, 'listening');
    await bench.configure();
    const wrapper = await writeRkeWrapper(join(bench.directory, 'bin'), {
      nodeBinary: process.execPath,
      sandboxUrl: `http://127.0.0.1:${(spy.address() as AddressInfo).port}`,
    });
    // The wrapper names the sources here; the compiled engine stands beside them.
    await writeFile(wrapper, (await readFile(wrapper, 'utf8')).replace('/src/rke/', '/dist/rke/'), { mode: 0o755 });
    const { stdout } = await run(wrapper, ['up'], { cwd: bench.directory });
    spy.close();

    expect(stdout).toContain('Finished building Kubernetes cluster successfully');
    const sent = bodies.join();
    const state = JSON.parse(await file('cluster.rkestate')) as {
      desiredState: { certificatesBundle: Record<string, { keyPEM: string }> };
    };
    const secrets = [
      await file('ssh-key'),
      ...['kube-ca', 'kube-admin'].map((name) => state.desiredState.certificatesBundle[name]?.keyPEM ?? ''),
    ];
    expect(sent).toContain('authorizedKey');
    for (const secret of secrets) expect(sent).not.toContain(JSON.stringify(secret).slice(30, 90));
  });

  it('waits where a stage is held that is done, and goes on from there when it was killed meanwhile', async () => {
    await bench.configure();
    let stages = 0;
    let letGo = (): void => undefined;
    bench.holdStage = async () => {
      stages += 1;
      if (stages === 3) await new Promise<void>((resolve) => (letGo = resolve));
    };
    const first = bench.startRke('up', '--config', 'cluster.yml');
    await eventually(() => expect(stages).toBe(3));
    first.kill('SIGKILL');
    letGo();
    const { code } = await bench.rke('up', '--config', 'cluster.yml');

    expect(code).toBe(0);
    expect(stages).toBeGreaterThan(8);
    expect((await nodeNames()).length).toBe(5);
  });

  it('does nothing the second time', async () => {
    await bench.up();
    const before = await revision();
    const state = await file('cluster.rkestate');
    const { code, output } = await bench.rke('up');

    expect(code).toBe(0);
    expect(output).toContain('No hosts added existing cluster, skipping port check');
    expect(await revision()).toBe(before);
    expect(await file('cluster.rkestate')).toBe(state);
  });

  it('adds nodes, and cordons and deletes those that are no longer listed', async () => {
    await bench.up();
    bench.machines.add({ id: 'i-worker-2', privateAddress: '10.20.2.7' });
    const third = { name: 'demo-workers-2', address: '10.20.2.7', role: ['worker'], labels: { tier: 'web' } };
    await bench.configure({}, [...bench.nodes(), third]);
    expect((await bench.rke('up')).code).toBe(0);
    expect(await nodeNames()).toContain('demo-workers-2');
    expect(await bench.kubectlSucceeds(['get', 'nodes', '-l', 'tier=web', '-o', 'name'])).toBe('node/demo-workers-2\n');

    const tainted = { ...third, labels: {}, taints: [{ key: 'only', value: 'web', effect: 'NoSchedule' }] };
    await bench.configure({}, [...bench.nodes().filter(({ name }) => name !== 'demo-workers-0'), tainted]);
    const { code, output } = await bench.rke('up');
    expect(code).toBe(0);
    expect(output).toContain('[hosts] Cordoning host [10.20.2.5]');
    expect(output).toContain('[hosts] Successfully deleted host [10.20.2.5] from the cluster');
    expect(await nodeNames()).toEqual([
      ...['demo-control-plane-0', 'demo-control-plane-1', 'demo-control-plane-2', 'demo-workers-1', 'demo-workers-2'],
    ]);
    expect(await bench.kubectlSucceeds(['get', 'nodes', '-l', 'tier=web', '-o', 'name'])).toBe('');
    const taints = ['get', 'node', 'demo-workers-2', '-o', 'jsonpath={.spec.taints}'];
    expect(JSON.parse(await bench.kubectlSucceeds(taints))).toEqual(tainted.taints);
  });

  it('upgrades node by node', async () => {
    await bench.up();
    await bench.configure({ kubernetes_version: 'v1.31.8-rancher1-1' });
    const { code, output } = await bench.rke('up');

    expect(code).toBe(0);
    expect(output).toContain('[controlplane] Processing controlplane hosts for upgrade 1 at a time');
    const versions = ['get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'];
    expect(new Set((await bench.kubectlSucceeds(versions)).split(' '))).toEqual(new Set(['v1.31.8']));
    expect(await bench.kubectlSucceeds(['version', '-o', 'json'])).toContain('"gitVersion": "v1.31.8"');
    expect(await bench.kubectlSucceeds(['get', 'nodes'])).not.toContain('SchedulingDisabled');
  });

  it('does nothing for any worker while more are away than may be, and for the others where more may be', async () => {
    await bench.up();
    bench.machines.add({ id: 'i-worker-2', privateAddress: '10.20.2.7' });
    bench.machines.change('i-worker-1', { isRunning: false });
    const nodes = [...bench.nodes(), { name: 'demo-workers-2', address: '10.20.2.7', role: ['worker'] }];
    await bench.configure({}, nodes);
    const refused = await bench.rke('up');
    expect(refused.output).toContain(
      'cannot proceed with upgrade of worker since 1 host(s) cannot be reached prior to upgrade',
    );
    expect(await nodeNames()).not.toContain('demo-workers-2');

    await bench.configure({ upgrade_strategy: { max_unavailable_worker: '2' } }, nodes);
    expect((await bench.rke('up')).output).toContain('Provisioning incomplete, host(s) [10.20.2.6] skipped');
    expect(await nodeNames()).toContain('demo-workers-2');
  });

  it('drains workers when the control plane is at other addresses, and waits for budgets', async () => {
    await bench.up();
    const first = bench.nodes().filter(({ name }) => !['demo-control-plane-1', 'demo-control-plane-2'].includes(name));
    await bench.configure({ upgrade_strategy: { drain: true } }, first);
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const selector = { matchLabels: { app: 'web' } };
    const web = { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'web' } };
    const budget = { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', metadata: { name: 'web' } };
    const items = [
      { ...web, spec: { replicas: 1, selector, template } },
      { ...budget, spec: { minAvailable: 1, selector } },
    ];
    await bench.kubectlSucceeds(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items });
    await bench.kubectlSucceeds(['rollout', 'status', 'deployment/web', '--timeout=90s']);
    const kept = await bench.rke('up');

    expect(kept.code).toBe(1);
    expect(kept.output).toMatch(
      /\[workerPlane\] Failed to upgrade Worker Plane: \[error draining node demo-workers-\d: error when evicting pods\/"web-/,
    );
    expect(await bench.kubectlSucceeds(['get', 'nodes'])).toContain('SchedulingDisabled');
  });

  it('says which host it could not log in to, and why', async () => {
    bench.machines.change('i-worker-1', { isRunning: false });
    await bench.configure();
    const stopped = await bench.rke('up');
    expect(stopped.code).toBe(1);
    expect(stopped.output).toMatch(
      /WARN\[\d+\] Failed to set up SSH tunneling for host \[10\.20\.2\.6\]: .*No route to host/,
    );
    expect(stopped.output).toMatch(/FATA\[\d+\] Provisioning incomplete, host\(s\) \[10\.20\.2\.6\] skipped/);

    bench.machines.change('i-worker-1', { isRunning: true });
    expect((await bench.rke('up')).code).toBe(0);
    expect((await nodeNames()).length).toBe(5);
  });

  it('forgets a host that it could not reach: its node stays when it is no longer listed', async () => {
    await bench.up();
    bench.machines.change('i-worker-1', { isRunning: false });
    expect((await bench.rke('up')).code).toBe(1);
    const { currentState, desiredState } = JSON.parse(await file('cluster.rkestate')) as Record<
      string,
      { rkeConfig: { nodes: object[] } }
    >;
    expect([desiredState, currentState].map((state) => state?.rkeConfig.nodes.length)).toEqual([5, 4]);

    await bench.configure(
      {},
      bench.nodes().filter(({ name }) => name !== 'demo-workers-1'),
    );
    expect((await bench.rke('up')).code).toBe(0);
    expect(await nodeNames()).toContain('demo-workers-1');
  });

  it('puts on nodes only what is other than in its state, so that what a run did not come to is never done', async () => {
    await bench.up();
    bench.machines.add({ id: 'i-worker-2', privateAddress: '10.20.2.7' });
    bench.machines.change('i-worker-2', { isRunning: false });
    const [taint, other] = ['a', 'b'].map((value) => ({ key: 'only', value, effect: 'NoSchedule' }));
    const third = { name: 'demo-workers-2', address: '10.20.2.7', role: ['worker'], taints: [taint, other] };
    const nodes = bench.nodes().map((node) => ({ ...node, ...(isWorker(node) ? { taints: [taint] } : {}) }));
    await bench.configure({}, [...nodes, third]);
    expect((await bench.rke('up')).output).toContain('cannot proceed with upgrade of worker since 1 host(s)');
    bench.machines.change('i-worker-2', { isRunning: true });
    expect((await bench.rke('up')).code).toBe(0);

    expect(await taintsOf('demo-workers-0')).toEqual([]);
    expect(await taintsOf('demo-workers-2')).toEqual(['only=a:NoSchedule']);
  });

  it('keeps workloads off what it starts on a host of the control plane, and not off one that runs already', async () => {
    const all = bench.nodes();
    const alone = all.filter((node) => !isWorker(node)).map((node) => ({ ...node, role: [...node.role, 'worker'] }));
    await bench.configure({}, alone);
    expect((await bench.rke('up')).code).toBe(0);
    expect(await taintsOf('demo-control-plane-0')).toEqual([]);

    bench.machines.change('i-worker-0', { isRunning: false });
    const grown = all.filter(({ name }) => name !== 'demo-workers-1');
    await bench.configure({}, grown);
    expect((await bench.rke('up')).code).toBe(1);
    bench.machines.change('i-worker-0', { isRunning: true });
    expect((await bench.rke('up')).code).toBe(0);
    expect(await taintsOf('demo-control-plane-0')).toEqual([]);

    await bench.configure({ kubernetes_version: 'v1.31.8-rancher1-1' }, grown);
    expect((await bench.rke('up')).code).toBe(0);
    const kept = [
      'node-role.kubernetes.io/controlplane=true:NoSchedule',
      'node-role.kubernetes.io/etcd=true:NoExecute',
    ];
    expect((await taintsOf('demo-control-plane-0')).toSorted()).toEqual(kept);
    await bench.configure({ kubernetes_version: 'v1.31.8-rancher1-1' }, alone);
    expect((await bench.rke('up')).code).toBe(0);
    expect(await taintsOf('demo-control-plane-0')).toEqual([]);
  });

  it('adds no member to etcd while one that it has forgotten is dead', async () => {
    await bench.up();
    const state = await file('cluster.rkestate');
    bench.machines.change('i-control-2', { isRunning: false });
    expect((await bench.rke('up')).output).toContain('cannot proceed with upgrade of controlplane since 1 host(s)');
    expect(JSON.parse(await file('cluster.rkestate'))).toEqual(JSON.parse(state));
    await writeFile(join(bench.directory, 'cluster.rkestate'), withoutNode(state, 'demo-control-plane-2'));

    bench.machines.add({ id: 'i-control-3', privateAddress: '10.20.1.8' });
    const fourth = { name: 'demo-control-plane-3', address: '10.20.1.8', role: ['controlplane', 'etcd'] };
    const others = bench.nodes().filter(({ name }) => name !== 'demo-control-plane-2');
    await bench.configure({}, [...others, fourth]);
    const refused = await bench.rke('up');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(
      'Failed to reconcile etcd plane: Failed to add etcd member [etcd-demo-control-plane-3] to etcd cluster',
    );

    await writeFile(join(bench.directory, 'cluster.rkestate'), state);
    expect((await bench.rke('up')).code).toBe(0);
    expect(await nodeNames()).not.toContain('demo-control-plane-2');
  });

  it('is let in by the right key only', async () => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(bench.directory, 'other')]);
    await bench.configure({ ssh_key_path: 'other' });
    const { code, output } = await bench.rke('up');

    expect(code).toBe(1);
    expect(output).toContain('ssh: handshake failed: ssh: unable to authenticate');
    // In the brackets before it are the seconds that the run took.
    expect(output).toContain(
      '] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [10.20.1.5 10.20.1.6 10.20.1.7]',
    );
    expect(bench.clusters.list()).toHaveLength(0);
  });

  it.each([
    '[network] Deploying port listener',
    '[certificates] Deploying kubernetes certificates',
    '[etcd] Building up etcd plane',
    '[controlplane] Building up',
    '[worker] Building up',
    '[addons] Setting up coredns',
  ])('converges when it was killed at "%s"', async (line) => {
    await bench.configure();
    bench.latency.scale = 0.5;
    const child = bench.startRke('up');
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes(line)) child.kill('SIGKILL');
      });
      child.once('close', () => resolve());
    });
    expect(child.signalCode).toBe('SIGKILL');
    bench.latency.scale = 0;
    const { code } = await bench.rke('up');

    expect(code).toBe(0);
    const { record } = await onlyCluster();
    expect(record.members.map(({ nodeName }) => nodeName).sort()).toEqual(bench.nodes().map(({ name }) => name));
    await bench.kubectlSucceeds(['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=90s']);
  });

  it('keeps the objects when its state is lost, under a new authority', async () => {
    await bench.up();
    await bench.kubectlSucceeds(['create', 'configmap', 'kept']);
    const old = await file('kube_config_cluster.yml');
    await rm(join(bench.directory, 'cluster.rkestate'));
    const { code, output } = await bench.rke('up');

    expect(code).toBe(0);
    expect(output).toContain('[certificates] Generating CA kubernetes certificates');
    expect(await bench.kubectlSucceeds(['get', 'configmap', 'kept', '-o', 'name'])).toBe('configmap/kept\n');
    await writeFile(join(bench.directory, 'kube_config_cluster.yml'), old);
    expect((await bench.kubectl(['get', 'nodes'])).output).toContain('certificate signed by unknown authority');
  });

  it('refuses to go on when all etcd hosts were replaced', async () => {
    await bench.up();
    bench.machines.terminate('i-control-0', 'i-control-1', 'i-control-2', 'i-worker-0', 'i-worker-1');
    bench.machines.add({ id: 'i-new', privateAddress: '10.20.1.9' });
    await bench.configure({}, [{ name: 'new', address: '10.20.1.9', role: ['controlplane', 'etcd', 'worker'] }]);
    const { code, output } = await bench.rke('up');

    expect(code).toBe(1);
    expect(output).toContain(
      'Etcd plane nodes are replaced. Stopping provisioning. Please restore your cluster from backup.',
    );
  });

  it('takes an etcd host that it cannot reach for one that is gone, and makes no second cluster', async () => {
    const [first, second, third] = bench.nodes();
    if (!first || !second || !third) throw new Error('There are no nodes');
    await bench.configure({}, [first]);
    expect((await bench.rke('up')).code).toBe(0);
    bench.machines.change('i-control-0', { isRunning: false });
    await bench.configure({}, [first, second, third]);
    const { code, output } = await bench.rke('up');

    expect(code).toBe(1);
    expect(output).toContain('Failed to set up SSH tunneling for host [10.20.1.5]');
    expect(output).toContain('Failed to reconcile etcd plane: Etcd plane nodes are replaced.');
    expect((await onlyCluster()).record.members).toHaveLength(1);
    bench.machines.change('i-control-0', { isRunning: true });
    expect((await bench.rke('up')).code).toBe(0);
    expect(await nodeNames()).toHaveLength(3);
  });

  it('takes Kubernetes off the hosts, more than once', async () => {
    await bench.up();
    const { code, output } = await bench.rke('remove', '--force', '--config', 'cluster.yml');

    expect(code).toBe(0);
    expect(output).toContain('[hosts] Successfully cleaned up host [10.20.2.6]');
    expect(output).toContain('Cluster removed successfully');
    expect(bench.clusters.list()).toHaveLength(0);
    expect(await readdir(join(bench.directory, 'clusters'))).toEqual([]);
    expect(await readdir(bench.directory)).not.toContain('cluster.rkestate');
    expect((await bench.rke('remove', '--force')).code).toBe(0);
  });

  it('goes back to a snapshot', async () => {
    await bench.up();
    await bench.kubectlSucceeds(['create', 'configmap', 'before']);
    expect((await bench.rke('etcd', 'snapshot-save', '--name', 'first')).code).toBe(0);
    await bench.kubectlSucceeds(['create', 'configmap', 'after']);
    expect((await bench.rke('etcd', 'snapshot-restore', '--name', 'first')).code).toBe(0);

    await eventually(async () => {
      const names = await bench.kubectlSucceeds(['get', 'configmap', '-o', 'name']);
      expect(names).toContain('before');
      expect(names).not.toContain('after');
    });
    const unknown = await bench.rke('etcd', 'snapshot-restore', '--name', 'second');
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('no snapshot [second]') as unknown });
  });

  it('deploys the add-ons of the configuration', async () => {
    const addons =
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: extra}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: extra}\ndata: {a: b}\n';
    await bench.configure({ addons });
    expect((await bench.rke('up')).output).toContain('[addons] User addons deployed successfully');
    expect(await bench.kubectlSucceeds(['-n', 'extra', 'get', 'configmap', 'one', '-o', 'jsonpath={.data.a}'])).toBe(
      'b',
    );
  });

  it('tells its version and those of Kubernetes it brings up', async () => {
    expect(await bench.rke('--version')).toEqual({ code: 0, output: 'rke version v1.8.3\n' });
    const { output } = await bench.rke('config', '--list-version', '--all');
    expect(output.split('\n')).toContain('v1.31.4-rancher1-1');
    expect((await bench.rke('frobnicate')).output).toMatch(/FATA\[\d{4}\] No help topic for 'frobnicate'/);
  });
});

/** A state file that has lost a node, as those of older releases may have. */
function withoutNode(text: string, name: string): string {
  const state = JSON.parse(text) as { currentState: { rkeConfig: { nodes: { hostnameOverride: string }[] } } };
  const { rkeConfig } = state.currentState;
  rkeConfig.nodes = rkeConfig.nodes.filter(({ hostnameOverride }) => hostnameOverride !== name);
  return JSON.stringify(state);
}
