import type { KubeObject } from '@crate/api';

/** From when on nobody counts on a node that says nothing. */
export const SILENCE_MS = 60_000;

/** How a kubelet that is there tells that no Docker answers on its machine. */
const NO_DOCKER = /\bDockerDaemonNotReady\b/;

/** The condition `Ready` of a node. */
interface Ready {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** For how long nothing was heard of a node; 0 for one that says how it is, be it that it is not ready. */
export function silentForMs(node: KubeObject, now: Date): number {
  const ready = readyOf(node);
  return isSilent(ready) ? lastedMs(ready, now) : 0;
}

/**
 * For how long a node has not been ready whose pods cannot end, and whose machine no engine can reach: it is silent, or no Docker answers beside
 * its kubelet. Since when Docker is missing a kubelet does not tell: its date is that of the first cause.
 */
export function lostForMs(node: KubeObject, now: Date): number {
  const ready = readyOf(node);
  const isWithoutDocker = ready?.status === 'False' && NO_DOCKER.test(ready.message ?? '');
  return isWithoutDocker || isSilent(ready) ? lastedMs(ready, now) : 0;
}

function readyOf({ status }: KubeObject): Ready | undefined {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Ready[] };
  return conditions.find(({ type }) => type === 'Ready');
}

function isSilent(ready: Ready | undefined): boolean {
  return ready === undefined || ready.status === 'Unknown';
}

function lastedMs(ready: Ready | undefined, now: Date): number {
  return now.getTime() - new Date(ready?.lastTransitionTime ?? 0).getTime();
}
