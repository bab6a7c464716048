import { isDeepStrictEqual } from 'node:util';
import { CLASS_MARK } from '../users/user-action.js';
import { conditionOf, isReady, nameOf, type Condition, type KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const STANDS = 'a cluster of a class is what its revision says';
const ENDS = 'rollouts end, or say what they wait for';
/** Why a rollout stands still until somebody does something. */
const STANDING_STILL = ['Manual', 'Paused', 'TooManyFailures'];
/** The same, as none of its clusters can be moved: which is looked at. */
const STALLED = 'Stalled';

interface ClassRef {
  readonly name: string;
  readonly revision?: number;
}

interface Template {
  readonly kubernetes?: { readonly version?: string };
  readonly nodePools?: readonly { readonly labels?: Readonly<Record<string, string>> }[];
}

interface ClassState {
  readonly revision?: number;
  readonly pinned?: boolean;
}

/** 2: a cluster says the revision of its class that it is made of, there is such a one, and it is so. */
export const classedClustersStand: Invariant = (world) =>
  livingOf(world).flatMap((cluster): Violation[] => {
    const { name, revision } = refOf(cluster) ?? { name: '' };
    const of = world.classRevisions.find((one) => revisionOf(one) === revision && ofClass(one) === name);
    const what = `${nameOf(cluster)} is of revision ${revision} of class ${name}`;
    if (!of) return [violation(STANDS, `${what}, of which there is none`)];
    const broken: string[] = [];
    const [said, is] = [markOf(of.spec?.['template'] as Template), markOf(cluster.spec as Template)];
    if (said !== is) broken.push(`its nodes have the mark ${is} instead of ${said}`);
    const told = stateOf(cluster)?.revision;
    if (isReady(cluster) && told !== revision) broken.push(`its status says ${told}`);
    return broken.map((text) => violation(STANDS, `${what}, but ${text}`));
  });

/** 5: a class that is rolled out has no cluster elsewhere, and one that is not says why. */
export const rolloutsEnd: Invariant = (world) =>
  world.classes.flatMap((owner): Violation[] => {
    const broken = [...contentOf(world, owner), ...rolloutOf(world, owner)];
    return broken.map((text) => violation(ENDS, `${nameOf(owner)} ${text}`));
  });

/** Whether nothing more is to be expected of a class, whose clusters are these. */
export function isAtRest(owner: KubeObject, clusters: readonly KubeObject[]): boolean {
  const told = conditionOf(owner, 'RolledOut');
  if (owner.status?.observedGeneration !== owner.metadata.generation) return false;
  if (countOf(owner, 'total') !== clusters.filter((one) => refOf(one)?.name === owner.metadata.name).length)
    return false;
  if (told?.reason === STALLED) return isStalled(owner, clusters);
  return told?.status === 'True' || STANDING_STILL.includes(told?.reason ?? '');
}

/** Whether those that are behind cannot follow: Kubernetes does not go back. What users pause is taken up again before anybody looks. */
function isStalled(owner: KubeObject, clusters: readonly KubeObject[]): boolean {
  const behind = behindOf(owner, clusters);
  const newest = minorOf(owner.spec?.['template'] as Template);
  return behind.length > 0 && behind.every(({ spec }) => minorOf(spec as Template) > newest);
}

function contentOf({ classRevisions }: World, { metadata, spec, status }: KubeObject): string[] {
  const own = classRevisions.filter((one) => ofClass(one) === metadata.name);
  const newest = own.reduce(
    (found, one) => (revisionOf(one) > revisionOf(found) ? one : found),
    own[0] ?? { metadata },
  );
  const broken: string[] = [];
  if (!isDeepStrictEqual(newest.spec?.['template'], spec?.['template']))
    broken.push('is not what its newest revision says');
  if (status?.['revision'] !== revisionOf(newest)) {
    broken.push(`says revision ${String(status?.['revision'])}, and its newest is ${revisionOf(newest)}`);
  }
  return broken;
}

function rolloutOf(world: World, owner: KubeObject): string[] {
  const told = conditionOf(owner, 'RolledOut');
  if (told?.status === 'True') return leftBehind(world, owner);
  return told?.reason === STALLED && isStalled(owner, world.clusters) ? [] : standstillOf(owner, told);
}

function leftBehind({ clusters }: World, owner: KubeObject): string[] {
  return behindOf(owner, clusters).map(
    (one) => `says that it is rolled out, and ${nameOf(one)} is at revision ${refOf(one)?.revision}`,
  );
}

/** Clusters of a class that are elsewhere, and not by anybody's will. */
function behindOf(owner: KubeObject, clusters: readonly KubeObject[]): readonly KubeObject[] {
  const isBehind = (cluster: KubeObject): boolean =>
    stateOf(cluster)?.pinned !== true && refOf(cluster)?.revision !== owner.status?.['revision'];
  return livingOf({ clusters }).filter((one) => refOf(one)?.name === owner.metadata.name && isBehind(one));
}

function standstillOf(owner: KubeObject, told: Condition | undefined): string[] {
  const { reason = 'Unknown', message = '' } = told ?? {};
  if (message === '' || !STANDING_STILL.includes(reason)) return [`is ${reason}: ${message || 'nobody says why'}`];
  const { maxFailures = 0 } = (owner.spec?.['rollout'] ?? {}) as { readonly maxFailures?: number };
  const failing = countOf(owner, 'failing');
  const isTrue = reason !== 'TooManyFailures' || failing > maxFailures;
  return isTrue ? [] : [`stands still for ${failing} failing clusters, and ${maxFailures} may fail`];
}

function livingOf({ clusters }: Pick<World, 'clusters'>): readonly KubeObject[] {
  return clusters.filter((one) => one.metadata.deletionTimestamp === undefined && refOf(one) !== undefined);
}

function refOf({ spec }: KubeObject): ClassRef | undefined {
  return spec?.['classRef'] as ClassRef | undefined;
}

function stateOf({ status }: KubeObject): ClassState | undefined {
  return status?.['class'] as ClassState | undefined;
}

function revisionOf({ spec }: Pick<KubeObject, 'spec'>): number {
  return Number(spec?.['revision'] ?? 0);
}

/** Of a revision. */
function ofClass(revision: KubeObject): string | undefined {
  return refOf(revision)?.name;
}

function countOf({ status }: KubeObject, what: 'total' | 'failing'): number {
  return ((status?.['clusters'] ?? {}) as Readonly<Record<string, number>>)[what] ?? 0;
}

function markOf({ nodePools = [] }: Template): string | undefined {
  return nodePools[0]?.labels?.[CLASS_MARK];
}

function minorOf({ kubernetes }: Template): number {
  return Number(kubernetes?.version?.split('.')[1]);
}

function violation(invariant: string, message: string): Violation {
  return { invariant, message };
}
