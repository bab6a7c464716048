import type { KubeObject } from '@crate/api';

/** From when on nobody counts on a node that says nothing. */
export const SILENCE_MS = 60_000;

/** For how long a node has not been ready; 0 for one that is. */
export function silentForMs({ status }: KubeObject, now: Date): number {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 0;
  return now.getTime() - new Date(ready?.lastTransitionTime ?? 0).getTime();
}
