import type { Cluster } from '@crate/api';

/** A group of machines. */
export interface Pool {
  readonly name: string;
  readonly machineType: string;
  readonly diskGiB: number;
  /** As asked for. */
  readonly replicas: number;
  /** That exist; undefined while nobody has looked. */
  readonly nodes?: number;
  readonly ready?: number;
  /** Labels and taints. */
  readonly marks: readonly string[];
  /** Its place in spec.nodePools; undefined: the control plane. */
  readonly index?: number;
}

/** The control plane and the pools of a cluster; none of one whose nodes others keep. Pure. */
export function poolsOf({ spec, status }: Cluster): readonly Pool[] {
  const { controlPlane, nodePools } = spec;
  const seen = new Map(status?.nodePools?.map((pool) => [pool.name, pool]));
  const workers = [...seen.values()];
  const inPools = (count: 'nodes' | 'ready'): number => workers.reduce((sum, pool) => sum + pool[count], 0);
  const all = status?.nodes;
  const first: Pool[] = controlPlane
    ? [
        {
          ...controlPlane,
          name: 'control-plane',
          marks: [],
          ...(all === undefined ? {} : { ready: all.ready - inPools('ready') }),
        },
      ]
    : [];
  return [
    ...first,
    ...nodePools.map(({ labels = {}, taints = [], ...pool }, index): Pool => ({
      ...pool,
      ...(seen.get(pool.name) ?? {}),
      index,
      marks: [
        ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
        ...taints.map(({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`),
      ],
    })),
  ];
}
