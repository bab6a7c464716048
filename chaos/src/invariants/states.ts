import type { StoredState } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * 3: within one lineage every stored version has a greater serial than the one before, or says the same: Terraform writes a state again under
 * its serial to leave out resources that have no instances. An owner has one lineage.
 */
export const serialsIncrease: Invariant = ({ states }) => {
  const newest = new Map<string, StoredState>();
  const sorted = [...states].sort((left, right) => left.version - right.version);
  return sorted.flatMap((state): Violation[] => {
    const before = newest.get(state.owner);
    newest.set(state.owner, state);
    if (!before) return [];
    if (before.lineage !== state.lineage) return [wrong(state, `lineage ${before.lineage} became ${state.lineage}`)];
    const isSame = state.serial === before.serial && state.substance === before.substance;
    return isSame || state.serial > before.serial
      ? []
      : [wrong(state, `serial ${state.serial} follows ${before.serial}`)];
  });
};

/** 3: a cluster has one authority for all its life, and kubeconfigs that were handed out trust it: with another one all of them are dead. */
export const authoritiesStay: Invariant = ({ engineStates, kubeconfigs }) => {
  const first = new Map<string, string>();
  return [...engineStates, ...kubeconfigs].flatMap(({ owner, version, authority }): Violation[] => {
    if (authority === undefined) return [];
    const before = first.get(owner) ?? authority;
    first.set(owner, before);
    if (before === authority) return [];
    return [
      {
        invariant: 'a cluster keeps its authority',
        message: `Authority ${before} of ${owner} became ${authority} with version ${version}`,
      },
    ];
  });
};

/** 3: everything that is stored can be opened. */
export const everythingOpens: Invariant = ({ unopened }) =>
  unopened.map((message) => ({ invariant: 'every stored version opens', message }));

/** 3: never two holders of a lock: by the journal of runs, and by what was seen to run. */
export const oneHolder: Invariant = ({ runs, lockSightings }) => {
  const open = new Map<string, number>();
  for (const { owner, state } of runs) {
    if (state === 'running') open.set(owner, (open.get(owner) ?? 0) + 1);
  }
  const recorded = [...open]
    .filter(([, count]) => count > 1)
    .map(([uid, count]) => held(`${count} runs of ${uid} are open`));
  const overlapping = runs.flatMap((run, index) => {
    const next = runs[index + 1];
    if (next?.owner !== run.owner || !run.ended_at) return [];
    return run.ended_at > next.started_at ? [held(`run ${next.id} began before run ${run.id} ended`)] : [];
  });
  const seen = lockSightings.map(({ owner, workspaces, groups }) =>
    held(`process groups ${groups.join(' and ')} worked for ${owner}, in ${[...new Set(workspaces)].join(' and ')}`),
  );
  return [...recorded, ...overlapping, ...seen];
};

function wrong({ owner, version }: StoredState, what: string): Violation {
  return { invariant: 'state serials increase', message: `Version ${version} of the state of ${owner}: ${what}` };
}

function held(message: string): Violation {
  return { invariant: 'never two holders of a lock', message };
}
