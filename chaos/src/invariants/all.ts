import type { World } from '../world/world.js';
import { classedClustersStand } from './classed-clusters.js';
import { convergedInTime, finalizersWaited, noLeaks } from './endings.js';
import type { Invariant, Violation } from './invariant.js';
import { exposedStay } from './exposed.js';
import { credentialsStand, restoredStatesStand } from './kept.js';
import { noDuplicates, noGhosts, noOrphanedSecrets, noOrphans } from './ownership.js';
import { approvalsEnd, executedPlansWereDone } from './plans.js';
import { executionsAreHeld, plansDoNoMore, refusedPlansAreTakenBack } from './planned-doings.js';
import { plansAreEmpty, statusesAreTrue, waitingIsExplained, writesAreReadable } from './promises.js';
import { authoritiesStay, everythingOpens, oneHolder, serialsIncrease } from './states.js';
import { rolloutsEnd } from './rollouts.js';
import { readyClustersAreSo } from './targets.js';
import { watchersSawEverything } from './watches.js';

export const INVARIANTS: readonly Invariant[] = [
  noOrphans,
  noDuplicates,
  noGhosts,
  noOrphanedSecrets,
  exposedStay,
  writesAreReadable,
  restoredStatesStand,
  credentialsStand,
  statusesAreTrue,
  readyClustersAreSo,
  plansAreEmpty,
  approvalsEnd,
  executedPlansWereDone,
  executionsAreHeld,
  plansDoNoMore,
  refusedPlansAreTakenBack,
  classedClustersStand,
  rolloutsEnd,
  serialsIncrease,
  authoritiesStay,
  everythingOpens,
  oneHolder,
  watchersSawEverything,
  finalizersWaited,
  waitingIsExplained,
  convergedInTime,
  noLeaks,
];

/** Everything that is wrong with a world. */
export function judge(world: World): readonly Violation[] {
  return INVARIANTS.flatMap((invariant) => invariant(world));
}
