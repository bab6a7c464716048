import { deletionForcedOf } from '@crate/api';
import { isConnectionDown } from '@crate/kubernetes';
import { settled, waiting, type FoundBlocker, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { isStaying, type AddOnInstallationScope } from '../add-on-installation.scope.js';

const AGAIN_MS = 5_000;
/** So many are named. */
const MOST_BLOCKERS = 20;

interface Volume {
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly csi?: { readonly driver?: string };
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
}

/**
 * Keeps an add-on that is a driver of volumes while there are any of it: without the driver nobody could detach or delete them, and pods
 * that move would wait for theirs for ever. A cluster that goes takes its volumes along before; one that is only let go of keeps them.
 */
export async function volumesInUse(
  scope: AddOnInstallationScope,
  { remoteSignal }: Pick<ReconcileContext, 'remoteSignal'>,
): Promise<Outcome> {
  const { target, cluster, installation, inventory } = scope;
  const drivers = inventory.filter(({ kind }) => kind === 'CSIDriver').map(({ name }) => name);
  const isLeaving = cluster?.metadata.deletionTimestamp !== undefined && !isStaying(scope);
  if (!target || isLeaving || drivers.length === 0 || deletionForcedOf(installation)) return settled;
  try {
    const { items } = await target.list('v1', 'PersistentVolume', {}, remoteSignal);
    const volumes = items as unknown as readonly Volume[];
    const used = volumes.filter(({ spec }) => drivers.includes(spec?.csi?.driver ?? ''));
    scope.blockers = used.slice(0, MOST_BLOCKERS).map(blockerOf);
  } catch (error) {
    // What comes next says how long a silent cluster is waited for.
    if (isConnectionDown(error)) return settled;
    throw error;
  }
  return scope.blockers.length === 0 ? settled : waiting('VolumesInUse', AGAIN_MS);
}

function blockerOf({ metadata, spec }: Volume): FoundBlocker {
  const { namespace = '', name } = spec?.claimRef ?? {};
  const claim = name === undefined ? undefined : `${namespace}/${name}`;
  return {
    ...{ kind: 'PersistentVolume', name: metadata.name, reason: 'VolumesInUse' },
    message: `Is a volume of ${spec?.csi?.driver ?? ''}${claim === undefined ? '' : `, claimed by ${claim}`}`,
    remedy:
      claim === undefined
        ? `Delete it; the driver stays until then: kubectl delete pv ${metadata.name}`
        : `Save what is in it and delete the claim; the driver stays until then: kubectl delete pvc ${name} -n ${namespace}`,
  };
}
