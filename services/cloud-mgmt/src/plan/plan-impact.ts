import { IMPACTS, type Impact } from '@crate/api';
import type { ResourceChange } from '@crate/terraform';

/** What a plan does to one resource, in terms of what runs. */
export interface ResourceImpact {
  readonly address: string;
  readonly impact: Impact;
}

const MACHINE = 'aws_instance';
/** Machines keep the key they were started with. The provider plans an adopted pair anew: it reads no key to compare. */
export const KEY_PAIR = 'aws_key_pair';
/** What only ties other things together: it comes and goes with them. */
const TIES = ['aws_lb_target_group_attachment', 'aws_route_table_association', 'aws_volume_attachment'];
/** Rights of a role: without them, or with others, machines run as before. */
const RIGHTS = 'aws_iam_role_policy';
/** Attributes that nothing that runs looks at. */
const LABELS = /^(tags|tags_all)(\.|$)/;
/** Attributes of a machine that are changed while it is stopped. */
const STOPPED_FOR = /^(instance_type|user_data|tenancy)(\.|$)/;

/** The actions of a plan that this release understands; `terraform show -json` may learn others. */
const UNDERSTOOD = ['no-op', 'read', 'create', 'update', 'delete', 'forget', 'delete,create', 'create,delete'];

/** The highest impact of a plan, and what has it. Undefined when it cannot be told. Pure. */
export function planImpact(
  document: Readonly<Record<string, unknown>>,
  resources: readonly ResourceChange[],
): ResourceImpact | undefined {
  if (!isUnderstood(document)) return undefined;
  const impacts = resources.map((resource) => ({ address: resource.address, impact: impactOf(resource) }));
  const rank = ({ impact }: ResourceImpact): number => IMPACTS.indexOf(impact);
  return impacts.toSorted((left, right) => rank(right) - rank(left))[0] ?? { address: '', impact: 'none' };
}

/** What is done to one resource does to what runs. Pure. */
export function impactOf({ type, action, changes }: ResourceChange): Impact {
  switch (action) {
    case 'create':
    case 'import':
    case 'forget':
      return 'none';
    case 'update':
      return updateImpact(
        type,
        changes.map(({ path }) => path),
      );
    case 'destroy':
      // A machine goes after its node has left the cluster.
      if (type === MACHINE) return 'roll';
      return type === RIGHTS || TIES.includes(type) ? 'none' : 'replace';
    case 'replace':
      if (type === KEY_PAIR) return 'none';
      return TIES.includes(type) ? 'restart' : 'replace';
  }
}

/** Whether more than one machine is stopped to be changed, and started again. Pure; looks at a plan in full. */
export function stopsMachines(resources: readonly ResourceChange[]): boolean {
  return resources.filter(stopsMachine).length > 1;
}

/** Whether it stops a machine to change it, and starts it again. Pure. */
export function stopsMachine({ type, action, changes }: ResourceChange): boolean {
  return type === MACHINE && action === 'update' && changes.some(({ path }) => STOPPED_FOR.test(path));
}

function updateImpact(type: string, paths: readonly string[]): Impact {
  if (type === RIGHTS || paths.every((path) => LABELS.test(path))) return 'none';
  if (type === MACHINE && !paths.some((path) => STOPPED_FOR.test(path))) return 'none';
  return 'restart';
}

function isUnderstood({ resource_changes: changes = [] }: Readonly<Record<string, unknown>>): boolean {
  if (!Array.isArray(changes)) return false;
  return (changes as { change?: { actions?: unknown } }[]).every(({ change }) => {
    const actions = change?.actions;
    return Array.isArray(actions) && UNDERSTOOD.includes(actions.join());
  });
}
