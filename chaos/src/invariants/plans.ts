import { isRead } from '../world/gap.js';
import { conditionOf, nameOf, type KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const APPROVED_BY = 'lifecycle.crate.dev/approved-by';
const BEFORE_THE_END = ['Pending', 'Approved', 'Executing'];

interface NodePool {
  readonly name: string;
  readonly replicas?: number;
}

interface PlanSpec {
  readonly clusterRef?: { readonly name: string };
  readonly changes?: { readonly nodePools?: readonly NodePool[]; readonly kubernetes?: { readonly version: string } };
}

/** Being worked out or carried out, or approved a moment ago. */
export function isUnderWay(plan: KubeObject): boolean {
  const isApproved = plan.metadata.annotations?.[APPROVED_BY] !== undefined;
  return BEFORE_THE_END.includes(phaseOf(plan)) || (isApproved && phaseOf(plan) === 'Ready');
}

/** 2: an approval that was answered with success leads to an end that says how it went. */
export const approvalsEnd: Invariant = (world) =>
  world.acknowledged
    .filter(({ what }) => what === 'approved')
    .flatMap(({ uid, name }): Violation[] => {
      const plan = world.userPlans.find(({ metadata }) => metadata.uid === uid);
      if (!plan) return [broken(`Plan ${name} was approved and is gone`)];
      if (isUnderWay(plan) || phaseOf(plan) === 'Ready') {
        return [broken(`${nameOf(plan)} was approved and is ${phaseOf(plan)}: ${conditionOf(plan, 'Ready')?.message}`)];
      }
      return [];
    });

/** 2: what says that it was carried out was: its cluster had that spec. */
export const executedPlansWereDone: Invariant = (world) =>
  world.userPlans
    .filter((plan) => phaseOf(plan) === 'Executed')
    .filter((plan) => !wasDone(plan, world))
    .map((plan) => broken(`${nameOf(plan)} says Executed, and no revision of its cluster is so`));

function wasDone(plan: KubeObject, world: World): boolean {
  const basis = (plan.status?.['basis'] ?? {}) as { readonly clusterUid?: string; readonly generation?: number };
  const { clusterUid } = basis;
  // What was as it was wished for already needed no execution.
  const { generation = basis.generation } = (plan.status?.['execution'] ?? {}) as { readonly generation?: number };
  const [since, at] = [world.since['Cluster'] ?? 0, Number(plan.metadata.resourceVersion)];
  if (at <= since) return true;
  const isThere = (world.changes['Cluster'] ?? [])
    .filter(({ uid, object }) => (clusterUid === undefined ? isMadeBy(plan, object) : uid === clusterUid))
    .some(({ object }) => object.metadata.generation === generation && isAsPlanned(plan.spec as PlanSpec, object));
  // What a cluster was in a gap nobody knows.
  return isThere || !isRead(world, 'Cluster', { after: since, upTo: at });
}

/** A plan of a cluster that is not there yet knows its name alone. */
function isMadeBy({ metadata, spec }: KubeObject, { metadata: cluster }: KubeObject): boolean {
  return cluster.namespace === metadata.namespace && cluster.name === (spec as PlanSpec).clusterRef?.name;
}

function isAsPlanned({ changes }: PlanSpec, { spec }: KubeObject): boolean {
  const { nodePools = [], kubernetes } = spec as { nodePools?: readonly NodePool[]; kubernetes?: { version: string } };
  const isVersion = changes?.kubernetes === undefined || changes.kubernetes.version === kubernetes?.version;
  return (
    isVersion &&
    (changes?.nodePools ?? []).every(({ name, replicas }) =>
      nodePools.some((pool) => pool.name === name && pool.replicas === replicas),
    )
  );
}

function phaseOf(plan: KubeObject): string {
  return conditionOf(plan, 'Ready')?.reason ?? 'Pending';
}

function broken(message: string): Violation {
  return { invariant: 'approved plans end, and say how', message };
}
