import type { Infrastructure, InfrastructureResource } from '@crate/api';
import { leaf, nodeOf, type PartState, type TreeNode } from './tree-node.js';

type Health = InfrastructureResource['health'];
type Told = Pick<TreeNode, 'own' | 'message'>;

const STATES: Readonly<Record<Health, PartState>> = {
  ok: 'ok',
  tainted: 'warning',
  changed: 'warning',
  missing: 'failing',
};

/** An Infrastructure with what it holds: by name what is known by name, everything else by type. Pure. */
export function infrastructureNode(
  infrastructure: Infrastructure,
  resources: readonly InfrastructureResource[] = [],
): TreeNode {
  const { outputs, deletion } = infrastructure.status ?? {};
  const all = [...resources, ...drifted(infrastructure, resources)];
  const byId = new Map(
    all.flatMap((resource) => (resource.id === undefined ? [] : [[resource.id, resource] as const])),
  );
  const named = (kind: string, name: string, id: string): TreeNode => {
    const found = byId.get(id);
    const shownName = found ? `${name} – ${found.address}` : name;
    return { ...leaf(kind, name), name: shownName, ...told(found?.health ?? 'ok') };
  };
  const machines = outputs?.machines ?? [];
  const shown = new Set([...(outputs ? [outputs.vpcId] : []), ...machines.map(({ instanceId }) => instanceId)]);
  return {
    ...nodeOf('Infrastructure', infrastructure),
    children: [
      ...(outputs
        ? [
            named('Network', outputs.vpcId, outputs.vpcId),
            leaf('LoadBalancer', outputs.apiHost),
            leaf('Bastion', outputs.bastionHost),
          ]
        : []),
      ...machines.map(({ name, instanceId, zone }) => named('Machine', `${name} (${instanceId}, ${zone})`, instanceId)),
      ...byType(all.filter(({ id }) => id === undefined || !shown.has(id))),
      ...(deletion?.blockers ?? []).map(({ kind, name, message }) => ({
        ...leaf(kind, name),
        own: 'warning' as const,
        message,
      })),
    ],
  };
}

/** What the last comparison tells of that the state does not, or that is all that is known. */
function drifted(
  { status }: Infrastructure,
  resources: readonly InfrastructureResource[],
): readonly InfrastructureResource[] {
  const known = new Set(resources.map(({ address }) => address));
  return (status?.drift?.resources ?? [])
    .filter(({ address }) => !known.has(address))
    .map(({ address, type, id, kind }) => ({
      address,
      type,
      name: address,
      ...(id === undefined ? {} : { id }),
      health: kind,
    }));
}

function byType(resources: readonly InfrastructureResource[]): readonly TreeNode[] {
  const types = [...new Set(resources.map(({ type }) => type))].sort();
  return types.map((type) => {
    const children = resources.filter((resource) => resource.type === type).map(resourceNode);
    return { ...leaf('Resources', type), isGroup: true, children };
  });
}

function resourceNode({ address, id, health }: InfrastructureResource): TreeNode {
  return { ...leaf('Resource', id === undefined ? address : `${address} (${id})`), ...told(health) };
}

function told(health: Health): Told {
  return { own: STATES[health], message: health === 'ok' ? '' : health };
}
