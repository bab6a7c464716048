import { deletionForcedOf } from '@crate/api';
import type { FoundBlocker } from '@crate/reconcile';
import { isStaying, type AddOnInstallationScope } from './add-on-installation.scope.js';
import { CSI_DRIVER, hasBegunToGo } from './held-back.js';

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
 * What keeps an add-on that is a driver of volumes: without it nobody could detach or delete them, and pods that move would wait for theirs
 * for ever. A cluster that goes takes its volumes along before; one that is only let go of keeps them. Once some of the driver is gone it is of no
 * use to a volume, and none keeps it.
 */
export async function volumesInUse(
  scope: AddOnInstallationScope,
  signal: AbortSignal,
): Promise<readonly FoundBlocker[]> {
  const { target, cluster, installation, inventory } = scope;
  const drivers = inventory.filter(({ kind }) => kind === CSI_DRIVER).map(({ name }) => name);
  const isLeaving = cluster?.metadata.deletionTimestamp !== undefined && !isStaying(scope);
  const isOver = deletionForcedOf(installation) !== undefined || hasBegunToGo(installation);
  if (!target || isLeaving || drivers.length === 0 || isOver) return [];
  const { items } = await target.list('v1', 'PersistentVolume', {}, signal);
  const volumes = items as unknown as readonly Volume[];
  const used = volumes.filter(({ spec }) => drivers.includes(spec?.csi?.driver ?? ''));
  return used.slice(0, MOST_BLOCKERS).map(blockerOf);
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
