import { rm } from 'node:fs/promises';
import { isPlatformError } from '@crate/errors';
import { pivotBack, type PivotSides } from '../pivot/pivot.js';
import type { Journal } from './journal.js';
import { deletePlatformCluster, proveEmpty, untilBack } from './platform-cluster.js';
import { withPlatformSide } from './platform-database-url.js';
import { dropInstallation } from './platform-database.js';
import { refusal } from './refusal.js';
import { findReleaseSecrets } from './release-secrets.js';
import type { BootstrapScope } from './scope.js';

/** In the journal: it only goes back from here. */
export const ROLLING_BACK = 'rollingBack';
/** In the journal: the database of the platform may be gone already. */
const MOVE_TAKEN_BACK = 'moveTakenBack';

/**
 * Takes away what a bootstrap made that has not passed its point of no return. May be killed anywhere and run again. Throws Conflict (`HasMoved`) when
 * it is too late; then nothing was changed, and whoever runs the command without --rollback goes on.
 */
export async function rollBackBootstrap(scope: BootstrapScope, journal: Journal, takeBack = pivotBack): Promise<void> {
  const { request, dir, singleton, say } = scope;
  if (journal.has('pivot')) throw tooLate();
  // The databases alone know for certain whether it is too late: the journal is told afterwards.
  if (journal.has('available') && !journal.has(MOVE_TAKEN_BACK)) await takeMoveBack(scope, journal, takeBack);
  await journal.add(ROLLING_BACK);
  await journal.add(MOVE_TAKEN_BACK);
  if (journal.has('account')) {
    await singleton.ensure();
    const api = await singleton.api();
    await untilBack(api);
    await deletePlatformCluster(api, request.name, request.timeoutMs);
    say('The platform cluster is gone');
    const { regions } = await proveEmpty(api, request.account);
    say(`Nothing of it is left in ${regions.join(', ') || 'the account'}`);
  }
  if ((await findReleaseSecrets(dir)) !== undefined) await dropInstallation(dir, request);
  await singleton.end();
  // Last of all the journal: as long as it is there, this goes on.
  await dir.forgetSecrets();
  await rm(dir.journal(), { force: true });
}

async function takeMoveBack(
  scope: BootstrapScope,
  journal: Journal,
  takeBack: (sides: PivotSides) => Promise<boolean>,
): Promise<void> {
  const { singleton, say } = scope;
  await singleton.ensure();
  try {
    const wasUnderWay = await withPlatformSide(scope, (to) => takeBack({ from: singleton.side, to }));
    if (wasUnderWay) say('The move is taken back');
  } catch (error) {
    if (!isPlatformError(error) || error.details.reason !== 'HasMoved') throw error;
    // An older release told the journal first.
    await journal.drop(ROLLING_BACK);
    throw tooLate(error);
  }
}

function tooLate(cause?: unknown): Error {
  return refusal({
    reason: 'HasMoved',
    message: 'The platform in the cluster has taken over for good',
    remedy:
      'Run the command without --rollback to its end. Once it has done "pivot", "crate remove" takes everything away as well',
    cause,
  });
}
