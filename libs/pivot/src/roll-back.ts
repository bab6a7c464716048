import { forgetBefore, putBackBefore } from './before-move.js';
import { fenced, liftFence } from './fence.js';
import { at, moveRefused, type Installation } from './installation.js';
import type { KeyCarrier } from './key-carrier.js';
import { hasReached, type MoveRecord } from './move-record.js';

export interface RollBackOptions {
  readonly source: Installation;
  readonly target: Installation;
  readonly keys: KeyCarrier;
}

const REVERSIBLE = ['prepared', 'draining', 'frozen', 'copied', 'verified'] as const;

/**
 * Takes a move back that has not passed the point of no return: the source goes on as if nothing had been, the target is what it was before. May be killed and
 * run again. Gives false when there is nothing to take back; throws Conflict (`HasMoved`) when it is too late.
 */
export async function rollBack({ source, target, keys }: RollBackOptions): Promise<boolean> {
  const there = await source.record();
  if (there?.side !== 'source') return false;
  if (hasReached(there, 'moved')) throw tooLate(source);
  const { id } = there;
  const isBegun = there.step !== 'rolledBack';
  // First the source: whoever still goes on with the move is refused its next step there, and cannot switch to the target any more.
  if (isBegun) await thaw(source, id);
  const here = await target.record();
  if (here?.id !== id || here.side !== 'target' || here.step === 'rolledBack') return isBegun;
  await keys.takeBack(id);
  await discard(target, here);
  return true;
}

async function thaw(source: Installation, id: string): Promise<void> {
  await fenced(source, async (transaction) => {
    await source.advance(transaction, { id, side: 'source', step: 'rolledBack' }, at(id, ...REVERSIBLE));
    await liftFence(source, transaction);
  });
}

async function discard(target: Installation, { id }: MoveRecord): Promise<void> {
  await fenced(target, async (transaction) => {
    await target.advance(transaction, { id, side: 'target', step: 'rolledBack' }, at(id, ...REVERSIBLE));
    await putBackBefore(target, transaction);
    await liftFence(target, transaction);
    await forgetBefore(transaction);
  });
}

function tooLate({ name }: Installation): Error {
  return moveRefused('HasMoved', `${name} has moved for good: the other installation holds what is newest`, {
    remedy: 'Run "crate pivot" without --rollback to finish the move',
  });
}
