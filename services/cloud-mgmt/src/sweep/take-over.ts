import type { Infrastructure } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';

const CONTROL_PLANE = 'control-plane';

/** What to write so that a machine without a place gets one and is taken over; undefined for what a Cluster cannot ask for. Pure. */
export function wishFor(
  { type, tags }: Pick<OwnedResource, 'type' | 'tags'>,
  { spec }: Infrastructure,
): string | undefined {
  const name = tags['Name'] ?? '';
  const prefix = `${spec.clusterName}-`;
  const [, group, index] = /^(.+)-(\d+)$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? [];
  if (type !== 'aws_instance' || group === undefined) return undefined;
  const replicas = Number(index) + 1;
  if (group === CONTROL_PLANE)
    return `set spec.controlPlane.replicas of Cluster ${spec.clusterName} to at least ${replicas}`;
  const isKnown = spec.machineGroups.some((one) => one.name === group);
  const pool = `node pool ${group} of Cluster ${spec.clusterName}`;
  return isKnown ? `scale ${pool} to at least ${replicas}` : `state ${pool} again, with at least ${replicas} replicas`;
}
