import { PlatformError } from '@crate/errors';
import type { RecoveryState } from './recovery-state.js';

/** Reason of a refusal because the database was set back and nobody has confirmed yet. */
export const RECOVERING = 'Recovering';

const REMEDY = 'It goes on by itself once an operator has looked at what was restored and run "crate recovery confirm"';

/** Says what is held back while the memory is older than the world, and what ends that. */
export function heldByRecovery(what: string, remedy = REMEDY): PlatformError {
  const details = { reason: RECOVERING, remedy };
  return new PlatformError('Forbidden', `${what}, and the database was set back to an older point`, {
    retry: 'slow',
    details,
  });
}

/** What is needed to see of an object. */
export interface DatedObject {
  readonly metadata: { readonly creationTimestamp: string };
}

/**
 * Holds back what takes something away while the database is older than the world. It may belong to a wish that the memory has
 * lost: only a person can say.
 */
export class RecoveryHold {
  constructor(private readonly recovery: Pick<RecoveryState, 'find'>) {}

  /** True while nobody has confirmed. */
  async isClosed(): Promise<boolean> {
    return (await this.recovery.find()) !== undefined;
  }

  /** Throws Forbidden (`Recovering`), tried again now and then, and at once when somebody confirms. */
  async check(what: string, remedy?: string): Promise<void> {
    if (await this.isClosed()) throw heldByRecovery(what, remedy);
  }

  /**
   * The first phase of a way back: a deletion that was asked for before the restore may have been taken back since. What was made
   * after it is known in full, and may go.
   */
  deletionPhase<S>(objectOf: (scope: S) => DatedObject): (scope: S) => Promise<{ readonly kind: 'settled' }> {
    return async (scope) => {
      if (!(await this.isNewer(objectOf(scope)))) await this.check('The deletion is held');
      return { kind: 'settled' };
    };
  }

  /** True for what was made since the memory was set back; nobody has asked for anything of it that is not known. */
  async isNewer({ metadata }: DatedObject): Promise<boolean> {
    const found = await this.recovery.find();
    return found !== undefined && Date.parse(metadata.creationTimestamp) > found.begunAt.getTime();
  }
}
