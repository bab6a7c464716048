import { PlatformError, isPlatformError } from '@crate/errors';
import { pivot, pivotBack, untilRunsOver, type PivotOptions } from './pivot.js';

/**
 * As `pivot`, for whoever has nobody to take it back: where work does not end in time, the old installation acts again. A run that a killed process left open
 * keeps it from resting, and is settled by its service once that may begin work: when the runs of that moment are over the move begins anew, once.
 * Throws Timeout (`StillAtWork`) then.
 */
export async function pivotOrActAgain(options: PivotOptions): Promise<void> {
  try {
    await pivot(options).catch(async (error: unknown) => {
      if (!isStillAtWork(error)) throw error;
      await actAgain(options);
      if (!(await untilRunsOver(options))) throw error;
      await pivot(options);
    });
  } catch (error) {
    if (!isStillAtWork(error)) throw error;
    await actAgain(options);
    const remedy = `${options.from.name} acts again: see what becomes of that, or release a lock that is held by hand, and run the command again`;
    throw new PlatformError('Timeout', error.message, { details: { reason: 'StillAtWork', remedy }, cause: error });
  }
}

async function actAgain(options: PivotOptions): Promise<void> {
  if (await pivotBack(options)) options.say(`The move is taken back: ${options.from.name} acts again`);
}

function isStillAtWork(error: unknown): error is PlatformError {
  return isPlatformError(error) && error.details.reason === 'StillAtWork';
}
