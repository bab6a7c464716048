import { KEEP_VOLUMES_ANNOTATION, REMOVE_VOLUMES_ANNOTATION, type Infrastructure } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import type { FoundBlocker } from '@crate/reconcile';
import type { TerraformFailure, TerraformState } from '@crate/terraform';
import type { NamedResource } from './give-up.js';

/** Reason of what the cluster made and what is there still. */
export const LEFT_BEHIND = 'LeftByTheCluster';

/** Ids of AWS as its messages quote them: 'vpc-0a1b…', 'arn:aws:…'. */
const QUOTED_ID = /'([a-z]+-[0-9a-f]{8,17}|arn:[^']+)'/;

/** What was asked to go and is listed still. */
export function stillListed({ type, id }: NamedResource): FoundBlocker {
  return {
    ...{ kind: type, name: id, reason: 'StillListed', message: 'It carries the owner tag and is listed still' },
    remedy:
      'Wait: listings lag behind. If it stays, remove it in the account or ask an administrator to force the deletion',
  };
}

/** What the cluster made and what is there still. */
export function leftBehind({ type, id }: NamedResource): FoundBlocker {
  return {
    ...{ kind: type, name: id, reason: LEFT_BEHIND, message: 'The cluster made it, and it is not gone yet' },
    remedy: 'Wait, or remove it in the account',
  };
}

/** A volume that may be one to keep: nobody could ask the cluster. */
export function undecidedVolume({ type, id, tags }: OwnedResource): FoundBlocker {
  const [namespace, claim] = [
    tags['kubernetes.io/created-for/pvc/namespace'],
    tags['kubernetes.io/created-for/pvc/name'],
  ];
  const whose = claim === undefined ? 'The volume' : `The volume of claim ${namespace ?? '?'}/${claim}`;
  return {
    ...{ kind: type, name: id, reason: 'VolumeUndecided' },
    message: `${whose} may be one to keep: nobody could ask the cluster for its reclaim policy`,
    remedy: `Name it in the annotation ${REMOVE_VOLUMES_ANNOTATION} or ${KEEP_VOLUMES_ANNOTATION} of the Cluster, or remove it in the account`,
  };
}

/** Nothing can be removed without the account. */
export function accountMissing({ spec }: Infrastructure): FoundBlocker {
  const { name } = spec.accountRef;
  return {
    ...{ kind: 'CloudAccount', name, reason: 'CloudAccountNotFound' },
    message: 'Without the CloudAccount nothing can be removed',
    remedy: `Create CloudAccount "${name}" with its account id and credentials again`,
  };
}

/** What Terraform could not remove, by the provider's id where that is known. */
export function notDestroyed(failure: TerraformFailure, state: TerraformState | undefined): FoundBlocker {
  const { code: reason, message, remedy } = failure;
  const { type, id } = resourceOf(failure, state?.resources ?? []);
  return { kind: type, name: id, reason, message, remedy };
}

/** By its address in the state, else by the id that the message quotes, else what is known of it. */
function resourceOf({ address, message }: TerraformFailure, managed: TerraformState['resources']): NamedResource {
  const quoted = QUOTED_ID.exec(message)?.[1];
  const known = managed.find((one) => one.address === address) ?? managed.find(({ id }) => id === quoted);
  const name = quoted ?? address ?? 'destroy';
  return { type: known?.type ?? address?.split('.')[0] ?? 'Terraform', id: known?.id ?? name };
}

/** Somebody else's resource that keeps a network from being removed. */
export function foreignInNetwork({ type, id }: NamedResource, vpcId: string): FoundBlocker {
  return {
    ...{
      kind: type,
      name: id,
      reason: 'ForeignResource',
      message: `It is in network ${vpcId} and not of this cluster`,
    },
    remedy: 'Remove it in the account, or move it elsewhere; the deletion then goes on by itself',
  };
}
