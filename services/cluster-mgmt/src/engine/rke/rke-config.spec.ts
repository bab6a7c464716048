import { describe, expect, it } from '@jest/globals';
import { BARE_SPEC, machineSpec } from '../../testing/builders.js';
import { hashEngineTask } from '../engine-config.js';
import { configForRun, hostsWithoutEtcd, rkeConfig } from './rke-config.js';

const options = { sshUser: 'ubuntu' };
const names = ['demo-workers-10', 'demo-workers-2', 'demo-control-plane-0'];

type Node = { hostname_override: string; role: string[]; labels: Record<string, string>; taints: unknown[] };

function nodesOf(spec = machineSpec(names)): Node[] {
  return rkeConfig(spec, options)['nodes'] as Node[];
}

describe('rkeConfig', () => {
  it('is the document that the engine reads', () => {
    expect(rkeConfig(machineSpec(), options)).toMatchSnapshot();
  });

  it('puts the control plane first and sorts nodes by number', () => {
    expect(nodesOf().map((node) => node.hostname_override)).toEqual([
      'demo-control-plane-0',
      'demo-workers-2',
      'demo-workers-10',
    ]);
  });

  it('runs workloads on the control plane only when there are no workers', () => {
    expect(nodesOf()[0]?.role).toEqual(['controlplane', 'etcd']);
    expect(nodesOf(machineSpec(['demo-control-plane-0']))[0]?.role).toEqual(['controlplane', 'etcd', 'worker']);
  });

  it('tells which machines etcd never runs on', () => {
    expect([...hostsWithoutEtcd(rkeConfig(machineSpec(names), options))]).toEqual(['10.20.0.11', '10.20.0.10']);
    expect(hostsWithoutEtcd(rkeConfig(machineSpec(['demo-control-plane-0']), options)).size).toBe(0);
  });

  it('passes labels and taints on, and says which pool a node belongs to', () => {
    const spec = machineSpec(['demo-workers-0']);
    const taint = { key: 'gpu', effect: 'NoSchedule' as const };
    const [node] = nodesOf({
      ...spec,
      nodes: spec.nodes.map((each) => ({ ...each, labels: { disk: 'ssd' }, taints: [taint] })),
    });

    expect(node?.labels).toEqual({ disk: 'ssd', 'lifecycle.crate.dev/pool': 'workers' });
    expect(node?.taints).toEqual([taint]);
  });

  it('goes through the bastion host when there is one', () => {
    expect(rkeConfig(machineSpec(), options)['bastion_host']).toEqual({
      address: '198.51.100.1',
      user: 'ubuntu',
      port: '22',
      ssh_key_path: 'ssh-key',
    });
    expect(rkeConfig(BARE_SPEC, options)).not.toHaveProperty('bastion_host');
  });

  it.each([
    { cidr: '10.43.0.0/16', dns: '10.43.0.10' },
    { cidr: '192.168.255.0/24', dns: '192.168.255.10' },
  ])('gives the cluster DNS the tenth address of $cidr', ({ cidr, dns }) => {
    const spec = { ...machineSpec(), network: { podCidr: '10.42.0.0/16', serviceCidr: cidr } };

    expect(rkeConfig(spec, options)).toMatchObject({ services: { kubelet: { cluster_dns_server: dns } } });
  });

  it('holds no key and no path of this host', () => {
    const text = JSON.stringify(rkeConfig(machineSpec(), options));

    expect(text).not.toMatch(/PRIVATE KEY|\/dev\/shm|\/tmp\//);
  });
});

describe('hashEngineTask', () => {
  const config = rkeConfig(machineSpec(names), options);

  it('is the same whatever the order of machines and keys', () => {
    const shuffled = machineSpec(names);
    const again = rkeConfig({ ...shuffled, nodes: shuffled.nodes.toReversed() }, options);
    const reversed = Object.fromEntries(Object.entries(again).reverse());

    expect(hashEngineTask({ config: reversed })).toBe(hashEngineTask({ config }));
  });

  it('changes with a node, a version, and the address of the API', () => {
    const hashes = [
      hashEngineTask({ config }),
      hashEngineTask({ config, server: 'https://lb:6443' }),
      hashEngineTask({ config: rkeConfig(machineSpec(names.slice(1)), options) }),
      hashEngineTask({ config: rkeConfig({ ...machineSpec(names), version: 'v1.32.4' }, options) }),
    ];

    expect(new Set(hashes).size).toBe(4);
  });
});

describe('configForRun', () => {
  const workers = (count: number): string[] => Array.from({ length: count }, (_, index) => `demo-workers-${index}`);

  it.each([
    { count: 3, run: {}, want: { drain: false } },
    { count: 3, run: { silentWorkers: 0, drains: true }, want: {} },
    { count: 3, run: { silentWorkers: 1, drains: true }, want: { max_unavailable_worker: '2' } },
    { count: 30, run: { silentWorkers: 2, drains: true }, want: { max_unavailable_worker: '5' } },
  ])('changes $want of $count workers for $run', ({ count, run, want }) => {
    const config = rkeConfig(machineSpec(['demo-control-plane-0', ...workers(count)]), options);
    const strategy = config['upgrade_strategy'] as object;

    expect(configForRun(config, run)).toEqual({ ...config, upgrade_strategy: { ...strategy, ...want } });
  });
});
