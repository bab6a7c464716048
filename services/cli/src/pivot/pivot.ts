import { refusesUser } from '@crate/database';
import { hasCode } from '@crate/errors';
import {
  DirectoryKeyCarrier,
  finishTarget,
  move,
  rollBack,
  stateOf,
  untilRunsEnded,
  type Installation,
  type MoveRecord,
  type MoveStep,
} from '@crate/pivot';
import type { PivotSide } from './pivot-side.js';

export interface PivotSides {
  readonly from: PivotSide;
  readonly to: PivotSide;
}

export interface PivotOptions extends PivotSides {
  readonly address?: string;
  readonly drainTimeoutMs: number;
  readonly say: (line: string) => void;
}

/** How one side stands. */
export interface PivotRow {
  readonly installation: string;
  readonly state: string;
  readonly step: string;
  readonly move: string;
  readonly changedAt: string;
  readonly address: string;
}

const DONE: Readonly<Record<MoveStep, string>> = {
  prepared: 'Both are prepared; the new installation is closed until it is its turn',
  draining: 'The old installation begins no more work',
  frozen: 'The old installation rests, and takes no changes',
  copied: 'All rows and keys are copied',
  verified: 'The copy is the same, and its secrets open',
  moved: 'The old installation will never act again',
  switched: 'The new installation acts',
  retired: 'The old installation has ended',
};

/** Moves, or goes on with a move. One whose old side is gone is ended by the new side alone. */
export async function pivot(options: PivotOptions): Promise<void> {
  const { from, to, drainTimeoutMs, say } = options;
  const target = await to.open();
  try {
    const source = await openUnlessOver(from, target);
    if (!source) return say(`${from.name} is gone, and ${to.name} acts: the move is over`);
    try {
      const keys = keysBetween(options);
      const address = options.address ?? (await to.address());
      const retire = (): Promise<void> => from.end();
      const onStep = (step: MoveStep): void => say(DONE[step]);
      const { hasMoved } = await move({
        ...{ source, target, keys, retire, drainTimeoutMs, onStep, onProgress: (line) => say(`  ${line}`) },
        ...(address === undefined ? {} : { address }),
      });
      if (!hasMoved) say('It has moved already; nothing was changed');
    } finally {
      await source.close();
    }
  } finally {
    await target.close();
  }
}

/** Takes a move back. Gives false when there is none to take back. */
export async function pivotBack(sides: PivotSides): Promise<boolean> {
  return withBoth(sides, (source, target) => rollBack({ source, target, keys: keysBetween(sides) }));
}

/** Waits until what runs in the old installation now is over, as long as it may be worked. Gives false when nothing does. Throws Timeout (`StillAtWork`). */
export async function untilRunsOver({ from, drainTimeoutMs, say }: PivotOptions): Promise<boolean> {
  const source = await from.open();
  try {
    const onWaiting = (left: readonly string[]): void => say(`  Waiting for ${left.slice(0, 3).join(', ')}`);
    return await untilRunsEnded(source, { timeoutMs: drainTimeoutMs, onWaiting });
  } finally {
    await source.close();
  }
}

/** How both sides stand. */
export async function pivotStatus(sides: PivotSides): Promise<readonly PivotRow[]> {
  return withBoth(sides, async (source, target) => [
    rowOf(source.name, await source.record()),
    rowOf(target.name, await target.record()),
  ]);
}

async function openUnlessOver(from: PivotSide, target: Installation): Promise<Installation | undefined> {
  try {
    return await from.open();
  } catch (error) {
    const record = await target.record();
    const mayBeOver = record?.side === 'target' && (record.step === 'switched' || record.step === 'retired');
    // One that refuses a password is there, and its end is not over.
    if (!hasCode(error, 'Unavailable') || refusesUser(error) || !mayBeOver) throw error;
    await finishTarget(target);
    return undefined;
  }
}

async function withBoth<T>(
  { from, to }: PivotSides,
  work: (source: Installation, target: Installation) => Promise<T>,
): Promise<T> {
  const source = await from.open();
  try {
    const target = await to.open();
    try {
      return await work(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function keysBetween({ from, to }: PivotSides): DirectoryKeyCarrier {
  const trust = { from: from.trustDirectory(), to: to.trustDirectory() };
  return new DirectoryKeyCarrier({
    from: from.keyDirectories('--from-keys'),
    to: to.keyDirectories('--to-keys'),
    ...(trust.from === undefined || trust.to === undefined ? {} : { trust: { from: trust.from, to: trust.to } }),
  });
}

function rowOf(installation: string, record: MoveRecord | undefined): PivotRow {
  const { id: move = '', step = '', address = '', changedAt } = record ?? {};
  return { installation, state: stateOf(record), step, move, changedAt: changedAt?.toISOString() ?? '', address };
}
