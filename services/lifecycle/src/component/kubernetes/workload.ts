import type { KubeObject } from '@crate/api';

/** What is read of a StatefulSet. */
export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly ordinals?: { readonly start?: number };
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly updateStrategy?: { readonly rollingUpdate?: { readonly partition?: number } };
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

/** What is read of a pod. */
export interface Pod extends KubeObject {
  readonly spec: { readonly containers: readonly Container[] };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
  readonly lastState?: {
    readonly terminated?: {
      readonly exitCode: number;
      readonly reason?: string;
      readonly message?: string;
      readonly finishedAt?: string;
    };
  };
}

/** Name of the container that is the component; the chart gives it the component's. */
export function imageOf(containers: readonly Container[], component: string): string {
  return containers.find(({ name }) => name === component)?.image ?? '';
}

/** How many pods there shall be. */
export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

/** Where a pod stands among those of its set, whatever number the first one has. */
export function indexOf(podName: string, { spec }: StatefulSet): number {
  return Number(podName.slice(podName.lastIndexOf('-') + 1)) - (spec.ordinals?.start ?? 0);
}

/** From which number on pods have the newest template. */
export function partitionOf({ spec }: StatefulSet): number {
  return spec.updateStrategy?.rollingUpdate?.partition ?? 0;
}
