import type { Cluster } from '@crate/api';

/** A group of machines. */
export interface Pool {
  readonly name: string;
  readonly machineType: string;
  readonly diskGiB: number;
  /** As asked for. */
  readonly replicas: number;
  /** Undefined while nobody has looked. */
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
  const inPools = [...seen.values()].reduce((sum, { ready }) => sum + ready, 0);
  const all = status?.nodes;
  const first: Pool[] = controlPlane
    ? [
        {
          ...controlPlane,
          name: 'control-plane',
          marks: [],
          ...(all === undefined ? {} : { ready: all.ready - inPools }),
        },
      ]
    : [];
  return [
    ...first,
    ...nodePools.map(({ labels = {}, taints = [], ...pool }, index): Pool => {
      const ready = seen.get(pool.name)?.ready;
      return {
        ...pool,
        ...(ready === undefined ? {} : { ready }),
        index,
        marks: [
          ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
          ...taints.map(({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`),
        ],
      };
    }),
  ];
}
