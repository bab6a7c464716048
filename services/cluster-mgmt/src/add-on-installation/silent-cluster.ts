import { KUBERNETES_CLUSTER } from '@crate/api';
import { hasCode, type PlatformError } from '@crate/errors';
import { isRefusal } from '@crate/kubernetes';
import { blockedForMs, datedBlockers, type FoundBlocker, type ReconcileContext } from '@crate/reconcile';
import type { AddOnInstallationScope } from './add-on-installation.scope.js';

/** What is in the way while nobody answers; without the way in, it is as if nobody did. */
export function silenceOf(
  { installation }: AddOnInstallationScope,
  { message, details }: PlatformError,
  patienceMs: number,
): FoundBlocker {
  const { reason = 'ConnectionDown', remedy: help } = details;
  const remedy =
    patienceMs === Infinity
      ? `${help ?? 'Make it answer again'}: the cluster stays, and so would what the add-on has put there`
      : `${help === undefined ? 'Nothing to do' : `${help}; otherwise nothing`}: ${Math.ceil(patienceMs / 60_000)} min after this came in the way the add-on is given up, as its objects go down with the cluster`;
  return {
    ...{ kind: KUBERNETES_CLUSTER.kind, name: installation.spec.clusterRef.name, reason },
    // How nobody answers changes from try to try.
    message: reason === 'ConnectionDown' ? 'The API server of the cluster does not answer' : message,
    remedy,
  };
}

/**
 * What is in the way still after a pass that failed before the cluster was heard: the silence that an earlier one found keeps its date. A pass that
 * ran until its deadline has heard it, for no single call is waited for as long.
 */
export function silenceAfter(
  error: unknown,
  { installation }: AddOnInstallationScope,
  { remoteSignal }: Pick<ReconcileContext, 'remoteSignal'>,
): readonly FoundBlocker[] {
  const isHeard = isRefusal(error) || !hasCode(error, 'Unavailable', 'Timeout') || remoteSignal.aborted;
  const before = installation.status?.deletion?.blockers ?? [];
  return isHeard ? [] : before.filter(({ kind }) => kind === KUBERNETES_CLUSTER.kind);
}

/** Milliseconds since the cluster fell silent; any answer, also one that something does not go, ends that. */
export function silentForMs({ installation, blockers }: AddOnInstallationScope, now: Date): number {
  return blockedForMs(datedBlockers(blockers, installation.status?.deletion?.blockers ?? [], now), now);
}
