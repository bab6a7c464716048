import type { Cluster } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { loadBalancerPortCauses, loadBalancerPortWarnings } from './cluster.load-balancer-ports.js';

type Ports = Readonly<Record<number, number>>;

function aCluster(ports: Ports, replicas: readonly number[] = [2]): Cluster {
  const loadBalancerPorts = Object.entries(ports).map(([port, nodePort]) => ({ port: Number(port), nodePort }));
  const nodePools = replicas.map((count) => ({ replicas: count }));
  return { spec: { network: { loadBalancerPorts }, nodePools } } as unknown as Cluster;
}

const fieldsOf = (before: Ports, now: Ports): readonly string[] =>
  loadBalancerPortCauses(aCluster(now), aCluster(before)).map(({ field = '' }) => field);

const nodePortOf = (index: number): string => `spec.network.loadBalancerPorts[${index}].nodePort`;

describe('ports of the load balancer', () => {
  it.each([
    { name: 'stay', before: { 80: 30080, 443: 30443 }, now: { 80: 30080, 443: 30443 } },
    { name: 'lead elsewhere', before: { 80: 30080, 443: 30443 }, now: { 80: 30081, 443: 30443 } },
    { name: 'take over from one that goes', before: { 80: 30080, 443: 30443 }, now: { 443: 30080 } },
    { name: 'take over from one that moves on', before: { 80: 30080, 443: 30443 }, now: { 80: 30081, 443: 30080 } },
    { name: 'come', before: {}, now: { 80: 30080 } },
  ])('may $name', ({ before, now }) => {
    expect(fieldsOf(before, now)).toEqual([]);
  });

  it('may not exchange their node ports in one change, which would never end', () => {
    expect(fieldsOf({ 80: 30080, 443: 30443 }, { 80: 30443, 443: 30080 })).toEqual([nodePortOf(0), nodePortOf(1)]);
    const ring = fieldsOf(
      { 80: 30080, 443: 30443, 90: 30090, 91: 30091 },
      { 80: 30443, 443: 30090, 90: 30080, 91: 30099 },
    );
    // By number: 80, 90, 91, 443.
    expect(ring).toEqual([nodePortOf(0), nodePortOf(1), nodePortOf(3)]);
  });

  it('says what to do instead', () => {
    const [first] = loadBalancerPortCauses(aCluster({ 80: 30443, 443: 30080 }), aCluster({ 80: 30080, 443: 30443 }));
    expect(first?.message).toMatch(/leads from port 443 until now.*give one of them another node port first/);
  });

  it('are all new in a new cluster', () => {
    expect(loadBalancerPortCauses(aCluster({ 80: 30080 }), undefined)).toEqual([]);
  });

  it.each([
    { name: 'no pool', replicas: [] },
    { name: 'no machine in its pools', replicas: [0, 0] },
  ])('are warned of in a cluster with $name, where they lead nowhere', ({ replicas }) => {
    expect(loadBalancerPortWarnings(aCluster({ 443: 30443 }, replicas))).toEqual([
      expect.stringMatching(/^spec\.network\.loadBalancerPorts: lead to workers alone, and the cluster has none/),
    ]);
  });

  it.each([
    { name: 'a worker', cluster: aCluster({ 443: 30443 }, [0, 1]) },
    { name: 'no port', cluster: aCluster({}, []) },
    { name: 'no network', cluster: { spec: { nodePools: [] as unknown[] } } as Cluster },
  ])('are not warned of in a cluster with $name', ({ cluster }) => {
    expect(loadBalancerPortWarnings(cluster)).toEqual([]);
  });
});
