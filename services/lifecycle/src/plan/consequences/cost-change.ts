import type { Cluster, ClusterSpec, Consequences } from '@crate/api';
import { monthlyCost, type Billable, type PriceList } from '@crate/pricing';
import { machineGroups } from '../../cluster/cluster.nodes.js';

/** The one machine that every cluster has besides those that are asked for. */
const BASTION = { machineType: 't3.micro', diskGiB: 20, replicas: 1 };
const DISK = 'gp3';

/** What a cluster costs before a change and after it, by list prices. Pure. */
export function costChange(
  prices: PriceList,
  { before, after }: { readonly before?: Cluster; readonly after?: Cluster },
): Consequences['cost'] {
  const [was, is] = [before, after].map((cluster) =>
    monthlyCost(prices, cluster?.spec.region ?? '', cluster ? billOf(cluster.spec) : []),
  );
  const amounts = { before: was?.amount ?? 0, after: is?.amount ?? 0 };
  const difference = Math.round((amounts.after - amounts.before) * 100) / 100;
  const unknown = [...new Set([...(was?.unknown ?? []), ...(is?.unknown ?? [])])];
  const { currency, date, source } = prices;
  const text = `${difference < 0 ? '' : '+'}${difference.toFixed(2)} ${currency}/month${unknown.length > 0 ? ' and what is not known' : ''}`;
  return { currency, ...amounts, difference, unknown, text, pricesOf: date, source };
}

/** Everything of a cluster that costs money by the hour: its machines with their disks, and what the network needs. */
export function billOf(spec: Pick<ClusterSpec, 'controlPlane' | 'nodePools' | 'network'>): readonly Billable[] {
  // What others make, others pay for.
  if (!spec.network) return [];
  const zones = spec.network.availabilityZones;
  const machines = [...machineGroups(spec), BASTION].flatMap(({ machineType, diskGiB, replicas }): Billable[] => [
    { kind: 'machine', type: machineType, count: replicas },
    { kind: 'disk', type: DISK, gib: diskGiB, count: replicas },
  ]);
  return [
    ...machines,
    { kind: 'natGateway', count: zones },
    // Of each gateway, of the bastion, and of the load balancer in each zone.
    { kind: 'publicAddress', count: zones + 1 + zones },
    { kind: 'networkLoadBalancer', count: 1 },
  ];
}
