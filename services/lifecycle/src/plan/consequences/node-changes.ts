import type { Cluster, Consequences, FieldImpact, PlannedResource } from '@crate/api';
import { CONTROL_PLANE_GROUP, desiredNodeNames, isNodeOf } from '../../cluster/cluster.nodes.js';

type NodeChange = Consequences['nodes'][number];

const POOL = /^spec\.nodePools\[name=([^\]]+)\]\./;
const CONTROL_PLANE_SIZE = 'spec.controlPlane.replicas';
const STRONGER: readonly NodeChange['change'][] = ['restart', 'roll', 'replace'];

/** Nodes that come, go, or do not stay as they are, by what changes in the spec and what Terraform would do. Pure. */
export function nodeChanges(
  { before, after }: { readonly before?: Cluster; readonly after?: Cluster },
  fields: readonly FieldImpact[],
  resources: readonly PlannedResource[] = [],
): readonly NodeChange[] {
  const [old, now] = [before, after].map((cluster) => (cluster ? desiredNodeNames(cluster) : []));
  const coming = (now ?? []).filter((name) => !old?.includes(name));
  const going = (old ?? []).filter((name) => !now?.includes(name));
  const staying = (old ?? []).filter((name) => now?.includes(name));
  return [
    ...coming.map((name): NodeChange => ({ name, change: 'join' })),
    ...going.map((name): NodeChange => ({ name, change: 'leave' })),
    ...staying.flatMap((name) => (before ? stayingChange(before, name, fields, resources) : [])),
  ];
}

function stayingChange(
  cluster: Cluster,
  name: string,
  fields: readonly FieldImpact[],
  resources: readonly PlannedResource[],
): NodeChange[] {
  const isReplaced = resources.some((resource) => machineOf(resource) === name && resource.action === 'replace');
  const changes = fields.filter((field) => concerns(cluster, name, field)).map(impactOnNode);
  const strongest = Math.max(-1, ...changes.map((impact) => STRONGER.indexOf(impact as NodeChange['change'])));
  const change = isReplaced ? 'replace' : STRONGER[strongest];
  return change === undefined ? [] : [{ name, change }];
}

/** What tells a worker where the control plane is restarts there when that changes; those that stay are not drained for it. */
function impactOnNode({ field, impact }: FieldImpact): FieldImpact['impact'] {
  return field === CONTROL_PLANE_SIZE ? 'restart' : impact;
}

/** Whether a node that stays notices the change of a field. */
function concerns(cluster: Cluster, node: string, { field, impact }: FieldImpact): boolean {
  if (field.startsWith('spec.kubernetes.') || field === CONTROL_PLANE_SIZE) return true;
  const isSize = field.endsWith('.replicas') && impact === 'roll';
  if (isSize) return false;
  if (field.startsWith('spec.controlPlane.')) return isNodeOf(cluster, CONTROL_PLANE_GROUP, node);
  const pool = POOL.exec(field)?.[1];
  return pool !== undefined && isNodeOf(cluster, pool, node);
}

/** Terraform takes no identifier that starts with a digit. */
function machineOf({ type, name }: PlannedResource): string | undefined {
  return type === 'aws_instance' ? name.replace(/^_/, '') : undefined;
}
