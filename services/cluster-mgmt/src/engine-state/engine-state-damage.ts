import type { PlatformError } from '@crate/errors';
import { secretDamageOf, type SecretDamage } from '@crate/secrets';
import { stateConflict } from '@crate/service-host';
import { engineFailure, STATE_DAMAGED_REMEDY, type EngineFailureCode } from '../engine/engine-failure.js';

const DAMAGES: Readonly<Record<SecretDamage, readonly [EngineFailureCode, string]>> = {
  tampered: ['StateTampered', 'The stored engine state was changed outside of the platform'],
  rolledBack: ['StateRolledBack', 'The stored engine state is older than the one that was stored last'],
  foreign: ['StateForeign', 'The stored engine state is that of another cluster'],
};

/** Codes of failures that a person has to settle before the engine runs again. */
export const ENGINE_STATE_DAMAGES: readonly string[] = Object.values(DAMAGES).map(([reason]) => reason);

/** The failure of a pass that meets a damaged state. */
export function engineStateDamaged(damage: SecretDamage, cause?: unknown): PlatformError {
  return engineFailure(...DAMAGES[damage], cause);
}

/** Rethrows, for a pass; a state that is not the one that was stored last gets its name. */
export function nameDamage(error: unknown): never {
  const damage = secretDamageOf(error);
  throw damage ? engineStateDamaged(damage, error) : error;
}

/** Rethrows, for a person who asked for a version. */
export function refuseDamaged(error: unknown): never {
  const damage = secretDamageOf(error);
  if (!damage) throw error;
  const [reason, message] = DAMAGES[damage];
  throw stateConflict(reason, message, { remedy: STATE_DAMAGED_REMEDY, cause: error, retry: 'never' });
}
