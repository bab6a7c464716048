import type { KubeObject } from '@crate/api';

/** From when on nobody counts on a node that says nothing. */
export const SILENCE_MS = 60_000;

/** For how long nothing was heard of a node; 0 for one that says how it is, be it that it is not ready. */
export function silentForMs({ status }: KubeObject, now: Date): number {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready && ready.status !== 'Unknown') return 0;
  return now.getTime() - new Date(ready?.lastTransitionTime ?? 0).getTime();
}
