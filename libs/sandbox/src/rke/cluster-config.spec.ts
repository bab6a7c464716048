import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { parseClusterConfig } from './read-cluster-config.js';
import { findConfigError } from './validate-cluster-config.js';

const NODE = { address: '10.20.1.5', user: 'ubuntu', role: ['controlplane', 'etcd', 'worker'] };

function configOf(
  change: Readonly<Record<string, unknown>> = {},
  node: Readonly<Record<string, unknown>> = {},
): string {
  return stringify({ kubernetes_version: 'v1.31.4-rancher1-1', nodes: [{ ...NODE, ...node }], ...change });
}

describe('parseClusterConfig', () => {
  it('fills in what the engine fills in', () => {
    const config = parseClusterConfig(configOf());

    expect(config.nodes[0]).toMatchObject({
      hostname_override: '10.20.1.5',
      internal_address: '10.20.1.5',
      port: '22',
    });
    expect(config).toMatchObject({
      cluster_name: 'local',
      network: { plugin: 'canal' },
      services: {
        'kube-api': { service_cluster_ip_range: '10.43.0.0/16' },
        kubelet: { cluster_domain: 'cluster.local' },
      },
    });
  });

  it('keeps what the simulation gives no meaning', () => {
    const config = parseClusterConfig(configOf({ enable_cri_dockerd: true, services: { etcd: { uid: 52034 } } }));

    expect(config).toMatchObject({ enable_cri_dockerd: true, services: { etcd: { uid: 52034 } } });
  });

  it.each([
    { name: 'a broken document', text: 'nodes: [', want: 'Failed to parse cluster file: yaml:' },
    { name: 'a wrong type', text: configOf({ nodes: 'none' }), want: 'unmarshal errors: nodes' },
  ])('refuses $name', ({ text, want }) => {
    expect(() => parseClusterConfig(text)).toThrow(want);
  });
});

describe('findConfigError', () => {
  it.each([
    { name: 'nothing wrong', text: configOf(), want: undefined },
    { name: 'no version', text: configOf({ kubernetes_version: '' }), want: /is not valid semver/ },
    {
      name: 'a version the engine does not know',
      text: configOf({ kubernetes_version: 'v1.12.0-rancher1-1' }),
      want: /unsupported Kubernetes version and system images are not populated/,
    },
    { name: 'no address', text: configOf({}, { address: '' }), want: /Address for host \(1\) is not provided/ },
    { name: 'no user', text: configOf({}, { user: '' }), want: /User for host \(1\) is not provided/ },
    { name: 'no role', text: configOf({}, { role: [] }), want: /Role for host \(1\) is not provided/ },
    {
      name: 'an unknown role',
      text: configOf({}, { role: ['boss'] }),
      want: /Role \[boss\] for host \(1\) is not recognized/,
    },
    { name: 'a bad node name', text: configOf({}, { hostname_override: 'A_B' }), want: /Hostname_override \[A_B\]/ },
    { name: 'a node twice', text: configOf({ nodes: [NODE, NODE] }), want: /can't have duplicate node: 10\.20\.1\.5/ },
    { name: 'no etcd', text: configOf({}, { role: ['controlplane'] }), want: /at least one etcd plane host/ },
    { name: 'no control plane', text: configOf({}, { role: ['etcd'] }), want: /at least one controlplane host/ },
    {
      name: 'an unknown network',
      text: configOf({ network: { plugin: 'cilium' } }),
      want: /plugin \[cilium\] is not supported/,
    },
    {
      name: 'no x509',
      text: configOf({ authentication: { strategy: 'webhook' } }),
      want: /strategy must contain \[x509\]/,
    },
    { name: 'an unknown ingress', text: configOf({ ingress: { provider: 'traefik' } }), want: /traefik is incorrect/ },
    {
      name: 'a bad service range',
      text: configOf({ services: { 'kube-api': { service_cluster_ip_range: 'x' } } }),
      want: /invalid CIDR address: x/,
    },
  ])('finds $name', ({ text, want }) => {
    const error = findConfigError(parseClusterConfig(text));

    if (want === undefined) expect(error).toBeUndefined();
    else expect(error).toMatch(want);
  });
});
