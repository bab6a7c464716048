import { isDeepStrictEqual } from 'node:util';
import { countOf, ofClass, refOf, revisionOf } from '../world/class-fields.js';
import { conditionOf, nameOf, type Condition, type KubeObject } from '../world/kube-object.js';
import { behindOf, isStalled, STALLED, STANDING_STILL } from '../world/rollout.js';
import type { World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const ENDS = 'rollouts end, or say what they wait for';

/** 5: a class that is rolled out has no cluster elsewhere, and one that is not says why. */
export const rolloutsEnd: Invariant = (world) =>
  world.classes.flatMap((owner): Violation[] => {
    const broken = [...contentOf(world, owner), ...rolloutOf(world, owner)];
    return broken.map((text) => ({ invariant: ENDS, message: `${nameOf(owner)} ${text}` }));
  });

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

function standstillOf(owner: KubeObject, told: Condition | undefined): string[] {
  const { reason = 'Unknown', message = '' } = told ?? {};
  if (message === '' || !STANDING_STILL.includes(reason)) return [`is ${reason}: ${message || 'nobody says why'}`];
  const { maxFailures = 0 } = (owner.spec?.['rollout'] ?? {}) as { readonly maxFailures?: number };
  const failing = countOf(owner, 'failing');
  const isTrue = reason !== 'TooManyFailures' || failing > maxFailures;
  return isTrue ? [] : [`stands still for ${failing} failing clusters, and ${maxFailures} may fail`];
}
