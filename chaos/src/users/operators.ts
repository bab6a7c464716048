import { conditionOf, type KubeObject } from '../world/kube-object.js';
import { collectionOf, MERGE, type Asking } from './asking.js';
import type { Planner } from './planner.js';
import type { PlanWish } from './user-action.js';

const CLUSTERS = collectionOf('lifecycle', 'clusters');
const RESOLVE_DRIFT = 'lifecycle.crate.dev/resolve-drift';
const OUTDATED = 'PlanOutdated';
/** What is done by nothing but an approved plan of the spec that a cluster has. */
const PLAN_HELPS = ['RunHeld', 'ReleaseHeld', OUTDATED];
const ON_ITS_WAY = ['Pending', 'Ready', 'Approved', 'Executing'];

/** Those whom the documentation sends people to when a cluster waits for a decision. They decide for what was asked for. */
export class Operators {
  /** Plans that they made, by uid of the cluster. */
  private readonly plans = new Map<string, string>();

  constructor(
    private readonly asking: Asking,
    private readonly planner: Pick<Planner, 'make' | 'follow'>,
  ) {}

  /** Looks at every cluster once. */
  async decide(): Promise<void> {
    const { body } = await this.asking.ask({ method: 'GET', path: CLUSTERS });
    const { items = [] } = (body ?? {}) as { readonly items?: readonly KubeObject[] };
    for (const cluster of items) if (!(await this.isPlanned(cluster))) await this.decideOn(cluster);
  }

  private async isPlanned({ metadata: { uid } }: KubeObject): Promise<boolean> {
    const plan = this.plans.get(uid);
    return plan !== undefined && ON_ITS_WAY.includes(await this.planner.follow(plan));
  }

  private async decideOn(cluster: KubeObject): Promise<void> {
    const wish = planFor(cluster);
    if (wish) return this.plan(cluster, wish);
    const value = decisionFor(cluster);
    if (value === undefined) return;
    const body = { metadata: { annotations: { [RESOLVE_DRIFT]: value } } };
    // What differs may be something else by now: then it is refused.
    await this.asking.ask({
      method: 'PATCH',
      path: `${CLUSTERS}/${cluster.metadata.name}`,
      body,
      contentType: MERGE,
    });
  }

  private async plan({ metadata: { name, uid, resourceVersion } }: KubeObject, wish: PlanWish): Promise<void> {
    const plan = `o-${uid.slice(0, 8)}-${resourceVersion}`;
    if (await this.planner.make(name, plan, wish)) this.plans.set(uid, plan);
  }
}

/** What a cluster waits to be planned anew. */
function planFor(cluster: KubeObject): PlanWish | undefined {
  if (cluster.metadata.deletionTimestamp !== undefined) return isOutdated(cluster) ? { destroy: true } : undefined;
  const { code = '' } = (cluster.status?.['failure'] ?? {}) as { readonly code?: string };
  const { reason = '' } = conditionOf(cluster, 'InSync') ?? {};
  return PLAN_HELPS.includes(code) || PLAN_HELPS.includes(reason) ? { changes: {} } : undefined;
}

/** A deletion that goes no further, since there is something else by now than was approved. */
function isOutdated({ status }: KubeObject): boolean {
  const { blockers = [] } = (status?.['deletion'] ?? {}) as {
    readonly blockers?: readonly { readonly reason: string }[];
  };
  return blockers.some(({ reason }) => reason === OUTDATED);
}

/** What is to become of a drift that is left to people; that of `correct` goes by itself, unless it says that it may not. */
function decisionFor(cluster: KubeObject): string | undefined {
  const { digest } = (cluster.status?.['drift'] ?? {}) as { readonly digest?: string };
  const { policy } = (cluster.spec?.['drift'] ?? {}) as { readonly policy?: string };
  const { status, reason } = conditionOf(cluster, 'InSync') ?? {};
  if (digest === undefined || status !== 'False' || (policy === 'correct' && reason === 'Drifted')) return undefined;
  const value = `correct-${digest}`;
  return cluster.metadata.annotations?.[RESOLVE_DRIFT] === value ? undefined : value;
}
