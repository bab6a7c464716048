import { isGivenUp } from './given-up.js';
import { isOfCluster } from '../world/cluster-tag.js';
import type { CloudObject } from '../world/cloud-journal.js';
import type { StoredState, World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const OWNER = 'crate.dev/infrastructure-uid';
const NAME = 'Name';

/** 1: every cloud object belongs to a live record, and is in its newest state or was made by its cluster. */
export const noOrphans: Invariant = (world) => {
  const live = new Set(world.infrastructures.map(({ metadata }) => metadata.uid));
  const known = new Set(
    [...newestStates(world)].flatMap(([owner, { resources }]) => resources.map((one) => keyOf(owner, one))),
  );
  return world.cloud.flatMap((object): Violation[] => {
    const owner = object.tags[OWNER];
    if (isGivenUp(world, object)) return [];
    if (world.infrastructures.some((one) => isOfCluster(one, object))) return [];
    if (owner === undefined || !live.has(owner)) return [orphan(object, 'no live Infrastructure owns it')];
    return known.has(keyOf(owner, object)) ? [] : [orphan(object, `the newest state of ${owner} does not know it`)];
  });
};

/** 1: nothing was made twice. */
export const noDuplicates: Invariant = ({ cloud }) => {
  const first = new Map<string, CloudObject>();
  return cloud.flatMap((object): Violation[] => {
    if (object.tags[NAME] === undefined) return [];
    const key = [object.tags[OWNER], object.type, object.tags[NAME]].join('/');
    const other = first.get(key);
    first.set(key, object);
    return other
      ? [
          {
            invariant: 'no duplicates',
            message: `${object.type} ${object.tags[NAME]} is there twice: ${other.id} and ${object.id}`,
          },
        ]
      : [];
  });
};

/** 1: what a newest state knows is really there. */
export const noGhosts: Invariant = (world) => {
  const there = new Set(world.cloud.map((object) => keyOf(object.tags[OWNER] ?? '', object)));
  const live = new Set(world.infrastructures.map(({ metadata }) => metadata.uid));
  return [...newestStates(world)].flatMap(([owner, { resources }]) =>
    resources
      .filter((resource) => live.has(owner) && !there.has(keyOf(owner, resource)))
      .map(({ address, id }) => ({
        invariant: 'no ghosts',
        message: `The state of ${owner} has ${address} (${id}), which the cloud has not`,
      })),
  );
};

/** 1: nobody keeps secrets of owners that are gone. */
export const noOrphanedSecrets: Invariant = (world) => {
  const owners = [...world.infrastructures, ...world.kubernetesClusters].map(({ metadata }) => metadata.uid);
  const accounts = world.accounts.map(({ metadata }) => `cloudaccount/${metadata.namespace}/${metadata.name}`);
  const live = new Set([...owners, ...accounts]);
  return [...new Set(world.secretOwners)]
    .filter((owner) => !live.has(owner))
    .map((owner) => ({ invariant: 'no orphaned secrets', message: `Secrets of ${owner} are stored, which is gone` }));
};

function newestStates({ states }: World): ReadonlyMap<string, StoredState> {
  const newest = new Map<string, StoredState>();
  for (const state of states) {
    if ((newest.get(state.owner)?.version ?? 0) < state.version) newest.set(state.owner, state);
  }
  return newest;
}

function keyOf(owner: string, { type, id }: { readonly type: string; readonly id: string }): string {
  return `${owner}/${type}/${id}`;
}

function orphan({ type, id, tags }: CloudObject, why: string): Violation {
  return { invariant: 'no orphans', message: `${type} ${id} (${tags[NAME] ?? 'no name'}): ${why}` };
}
