import { isDeepStrictEqual } from 'node:util';
import { outcomesOf, type Outcome } from '../world/doings.js';
import { isRead } from '../world/gap.js';
import { holderOf, infrastructuresIn, runsOf } from '../world/held-runs.js';
import { conditionOf, nameOf, type KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const MARK = 'lifecycle.crate.dev/approved-plan';

type Action = 'create' | 'update' | 'replace' | 'destroy' | 'import' | 'forget';

interface Planned {
  readonly type: string;
  readonly address: string;
  readonly action: Action;
}

/** Which steps of a plan may lead to what. Of a replacement either half may be left, and what is taken over is made whole. */
const STEPS: Readonly<Record<Outcome['did'], readonly Action[]>> = {
  created: ['create', 'replace'],
  changed: ['update', 'create', 'replace', 'import'],
  removed: ['destroy', 'replace'],
};

/** 2: runs that carry an approved plan out do no more in the cloud than it said, and those of a refused one nothing. */
export const plansDoNoMore: Invariant = (world) =>
  world.userPlans.flatMap((plan) => {
    const steps = phaseOf(plan) === 'Refused' ? [] : stepsOf(plan);
    const outcomes = outcomesOf(world, runsOf(world, plan));
    const kinds = new Map(outcomes.map((one) => [`${one.did} ${one.type}`, one]));
    return [...kinds].flatMap(([what, { did, type }]) => {
      const ids = outcomes.filter((one) => one.did === did && one.type === type).map(({ id }) => id);
      const isSaid = (step: Planned): boolean => step.type === type && STEPS[did].includes(step.action);
      const said = new Set(steps.filter(isSaid).map(({ address }) => address)).size;
      const message = `${nameOf(plan)} is ${phaseOf(plan)} and said ${said} of ${what}; there were ${ids.join(', ')}`;
      return ids.length > said ? [broken(message)] : [];
    });
  });

/** 2: what Terraform was to do for an executed plan was done by runs that were held to it. */
export const executionsAreHeld: Invariant = (world) =>
  world.userPlans
    .filter((plan) => phaseOf(plan) === 'Executed' && executionOf(plan.status).generation !== undefined)
    .filter((plan) => stepsOf(plan).length > 0 && !isHeld(world, plan))
    .map((plan) => broken(`${nameOf(plan)} says Executed, and no Infrastructure was ever held to it`));

/** 2: a cluster that a refused plan had changed has the spec it had. */
export const refusedPlansAreTakenBack: Invariant = (world) =>
  world.userPlans
    .filter((plan) => phaseOf(plan) === 'Refused' && !isTakenBack(world, plan))
    .map((plan) => broken(`${nameOf(plan)} is Refused, and its cluster did not get its former spec back`));

function isTakenBack(world: World, { metadata, spec, status }: KubeObject): boolean {
  const { previous } = executionOf(status);
  const all = world.changes['Cluster'] ?? [];
  const given = all.filter(({ object }) => object.metadata.annotations?.[MARK]?.includes(metadata.uid)).at(-1);
  // Nothing was begun, or what it has is what it had. A deletion changes no spec, and what goes has none to be given back.
  if (!given || spec?.['destroy'] === true || isDeepStrictEqual(given.object.spec, previous)) return true;
  if (given.type === 'DELETED' || given.object.metadata.deletionTimestamp !== undefined) return true;
  const [next] = all.filter(({ uid, revision }) => uid === given.uid && revision > given.revision);
  const { revision: upTo = Infinity } = next ?? {};
  if (!isRead(world, 'Cluster', { after: given.revision, upTo })) return true;
  return next !== undefined && isDeepStrictEqual(next.object.spec, previous);
}

function isHeld(world: World, plan: KubeObject): boolean {
  const { name, resourceVersion } = plan.metadata;
  const isKnown = Number(resourceVersion) > (world.since['Cluster'] ?? 0);
  const isWhole = isRead(world, 'Infrastructure', { after: world.since['Infrastructure'] ?? 0, upTo: Infinity });
  return !isKnown || !isWhole || infrastructuresIn(world).some((one) => holderOf(one) === name);
}

function stepsOf({ status }: KubeObject): readonly Planned[] {
  const { terraform } = (status?.['consequences'] ?? {}) as { terraform?: { resources?: readonly Planned[] } };
  return terraform?.resources ?? [];
}

interface Execution {
  readonly generation?: number;
  readonly previous?: unknown;
}

function executionOf(status: KubeObject['status']): Execution {
  return status?.['execution'] ?? {};
}

function phaseOf(plan: KubeObject): string {
  return conditionOf(plan, 'Ready')?.reason ?? 'Pending';
}

function broken(message: string): Violation {
  return { invariant: 'approved plans do what they said, and no more', message };
}
