import type { ClusterSpec } from '@crate/api';
import type { FieldPath } from '@crate/resource-server';

/** A machine type and where a cluster states it. */
export interface StatedType {
  readonly path: FieldPath;
  readonly type: string;
}

/** Every machine type that a cluster asks for. */
export function machineTypesOf({
  controlPlane,
  nodePools,
}: Pick<ClusterSpec, 'controlPlane' | 'nodePools'>): StatedType[] {
  return [
    ...(controlPlane
      ? [{ path: ['spec', 'controlPlane', 'machineType'], type: controlPlane.machineType } satisfies StatedType]
      : []),
    ...nodePools.map(({ machineType }, index) => ({
      path: ['spec', 'nodePools', index, 'machineType'],
      type: machineType,
    })),
  ];
}
