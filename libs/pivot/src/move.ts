import type { Transaction } from '@crate/database';
import { forgetBefore, goBeyondBefore, keepBefore } from './before-move.js';
import { fencedTables, quoted } from './catalog.js';
import { copySchema } from './copy.js';
import { stillAtWork, untilDrained, workAtHand } from './drain.js';
import { fenced, liftFence, refuseClaims, refuseWrites } from './fence.js';
import { at, moveRefused, NO_MOVE, type Installation } from './installation.js';
import type { KeyCarrier } from './key-carrier.js';
import { isMoveTo, newMoveId } from './move-id.js';
import { hasReached, MOVE_STEPS, type MoveRecord, type MoveStep } from './move-record.js';
import { openAllSecrets } from './open-secrets.js';
import { untilEnded } from './replicas.js';
import { rollBack } from './roll-back.js';
import { checkSuitable } from './suitable.js';
import type { WaitOptions } from './until-none.js';
import { verifyCopy, type SchemaSummary } from './verify.js';

const DRAIN_TIMEOUT_MS = 30 * 60_000;
/** No move has it. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

export interface MoveOptions {
  readonly source: Installation;
  readonly target: Installation;
  readonly keys: KeyCarrier;
  /** Where the API is afterwards; the source names it to whoever still asks there. */
  readonly address?: string;
  /** Ends the processes of the source for good, once nobody needs them. Repeated when interrupted. */
  readonly retire?: () => Promise<void>;
  /** How long what is at hand may go on, and processes of the target may take to end. Default 30 minutes. */
  readonly drainTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Told of each step when it is done, and of what goes on within steps. A failure of it stops the move there. */
  readonly onStep?: (step: MoveStep, id: string) => void | Promise<void>;
  readonly onProgress?: (line: string) => void;
}

/** What came of a move. */
export interface MoveResult {
  readonly id: string;
  /** False: it was over before. */
  readonly hasMoved: boolean;
}

/**
 * Moves an installation into another database, and all that acts along with it. May be killed at any point and run again: it goes on where it was. At no time may
 * both act: each write and each claim is refused by the database of whoever may not. Throws Conflict with a reason when it cannot begin or go on, Timeout
 * while work goes on (`StillAtWork`) or processes of the target do (`StillRunning`); up to the step `verified` `rollBack` undoes all of it.
 */
export async function move(options: MoveOptions): Promise<MoveResult> {
  const { source, target, signal, onStep } = options;
  // Whoever took a move back may have been killed in between.
  if ((await source.record())?.step === 'rolledBack') await rollBack(options);
  const id = await idOf(source, target);
  if (await isOver(source, target, id)) return { id, hasMoved: false };
  const pass = new MovePass(options, id);
  for (const step of MOVE_STEPS) {
    signal?.throwIfAborted();
    if (await pass.isDone(step)) continue;
    await pass[step]();
    await onStep?.(step, id);
  }
  return { id, hasMoved: true };
}

/**
 * Ends a move whose source is no more: the target has been serving since, so nothing is left but to note it. Gives false when it was noted before; throws Conflict
 * (`MoveChanged`) unless the target is a target that has been switched to.
 */
export async function finishTarget(target: Installation): Promise<boolean> {
  const record = await target.record();
  if (record?.side === 'target' && record.step === 'retired') return false;
  const { id = NO_ID } = record ?? {};
  await target.transaction((transaction) =>
    target.advance(transaction, { id, side: 'target', step: 'retired' }, `${at(id, 'switched')} AND side = 'target'`),
  );
  return true;
}

/** Of the move that is under way, or a new one. Throws Conflict (`OtherMove`) when either side is part of another: no source has two targets. */
async function idOf(source: Installation, target: Installation): Promise<string> {
  const [there, here] = await Promise.all([source.record(), target.record()]);
  if (there && here && haveBegun(there, here)) return there.id;
  if (here && !isFree(here)) throw otherMove(target, here);
  const identity = await target.identity();
  if (!there || isFree(there)) return newMoveId(identity);
  // The source says so first: whoever was killed right then goes on with the target that it meant.
  if (there.step === 'prepared' && isMoveTo(there.id, identity)) return there.id;
  throw otherMove(source, there);
}

/** Both have part in one move, which the source was not taken out of. */
function haveBegun(there: MoveRecord, here: MoveRecord): boolean {
  return there.id === here.id && there.side === 'source' && there.step !== 'rolledBack' && here.side === 'target';
}

/** As `NO_MOVE`. */
function isFree({ side, step }: MoveRecord): boolean {
  return step === 'rolledBack' || (side === 'target' && step === 'retired');
}

function otherMove({ name }: Installation, { id }: MoveRecord): Error {
  return moveRefused('OtherMove', `${name} is part of another move (${id})`, {
    remedy: 'Finish that one or take it back, with the two installations it began with',
  });
}

async function isOver(source: Installation, target: Installation, id: string): Promise<boolean> {
  const records = await Promise.all([source.record(), target.record()]);
  return records.every((record) => record?.id === id && record.step === 'retired');
}

/** One run of a move. Each step looks at what was done before it, changes one database in one transaction, and can be repeated. */
class MovePass {
  private readonly source: Installation;
  private readonly target: Installation;

  constructor(
    private readonly options: MoveOptions,
    private readonly id: string,
  ) {
    this.source = options.source;
    this.target = options.target;
  }

  /** Each side is asked for what it alone knows. */
  async isDone(step: MoveStep): Promise<boolean> {
    const [there, here] = await Promise.all([this.source.record(), this.target.record()]);
    const [source, target] = [there, here].map((record) => (record?.id === this.id ? record : undefined));
    switch (step) {
      case 'prepared':
        return hasReached(source, step) && hasReached(target, step);
      case 'draining':
      case 'frozen':
      case 'moved':
        return hasReached(source, step);
      case 'copied':
      case 'verified':
      case 'switched':
      case 'retired':
        return hasReached(target, step);
    }
  }

  /** The target is closed before anything else happens, and keeps what it has. */
  async prepared(): Promise<void> {
    const { source, target, id } = this;
    await checkSuitable(source, target);
    if ((await source.record())?.id !== id) {
      await source.transaction((transaction) =>
        source.advance(transaction, { id, side: 'source', step: 'prepared' }, NO_MOVE),
      );
    }
    await fenced(target, async (transaction) => {
      await target.advance(transaction, { id, side: 'target', step: 'prepared' }, NO_MOVE);
      await refuseWrites(target, transaction);
      await keepBefore(target, transaction);
    });
  }

  /** While the source serves: it waits for nothing but its own work afterwards. */
  async draining(): Promise<void> {
    await untilEnded(this.target, this.patience('running'));
    await fenced(this.source, async (transaction) => {
      await this.advance(this.source, transaction, 'draining', ['prepared']);
      await refuseClaims(this.source, transaction);
    });
  }

  /** Once nothing is at hand: what is looked at with the tables locked stays so. */
  async frozen(): Promise<void> {
    const { source } = this;
    await untilDrained(source, this.patience('at work'));
    await fenced(source, async (transaction) => {
      await this.advance(source, transaction, 'frozen', ['draining']);
      await refuseWrites(source, transaction);
      const atHand = await workAtHand(source, transaction);
      if (atHand.length > 0) throw stillAtWork(atHand);
    });
  }

  async copied(): Promise<void> {
    const { source, target, options, id } = this;
    await options.keys.carry(id);
    await fenced(target, async (to) => {
      await this.advance(target, to, 'copied', ['prepared']);
      await source.transaction((from) => this.copyAll(from, to));
    });
  }

  async verified(): Promise<void> {
    const { source, target, options, id } = this;
    const summaries = await verifyCopy(source, target);
    // Again: whoever was told that keys are missing has completed those of the source.
    await options.keys.carry(id);
    const secrets = await openAllSecrets(target, options.keys);
    for (const summary of summaries) options.onProgress?.(describe(summary));
    options.onProgress?.(`${secrets} secrets open with the keys of ${target.name}`);
    await target.transaction((transaction) => this.advance(target, transaction, 'verified', ['copied']));
  }

  /** The point of no return: from the commit on the source never acts again, whatever happens to the target. */
  async moved(): Promise<void> {
    const { source } = this;
    await source.transaction((transaction) => this.advance(source, transaction, 'moved', ['frozen']));
  }

  /** The source is `moved` for good, or this is not reached. */
  async switched(): Promise<void> {
    const { target } = this;
    await fenced(target, async (transaction) => {
      await this.advance(target, transaction, 'switched', ['verified']);
      await liftFence(target, transaction);
      await goBeyondBefore(target, transaction);
      await makeAllDue(target, transaction);
      await forgetBefore(transaction);
    });
  }

  /** The source last, and its record first: with its processes its database may end as well. */
  async retired(): Promise<void> {
    const { source, target, options } = this;
    await source.transaction((transaction) => this.advance(source, transaction, 'retired', ['moved', 'retired']));
    await options.retire?.();
    await finishTarget(target);
  }

  private patience(state: string): WaitOptions {
    const { drainTimeoutMs: timeoutMs = DRAIN_TIMEOUT_MS, signal, onProgress } = this.options;
    return {
      timeoutMs,
      ...(signal ? { signal } : {}),
      onWaiting: (left) => onProgress?.(`Waiting for ${left.slice(0, 3).join(', ')} (${left.length} ${state})`),
    };
  }

  private async copyAll(from: Transaction, to: Transaction): Promise<void> {
    const { source, options } = this;
    for (const schema of source.schemas) {
      options.signal?.throwIfAborted();
      await copySchema({ schema, from, to });
      options.onProgress?.(`Copied ${schema}`);
    }
  }

  private async advance(
    installation: Installation,
    transaction: Transaction,
    step: MoveStep,
    from: readonly MoveStep[],
  ): Promise<void> {
    const { address } = this.options;
    const side = installation === this.source ? 'source' : 'target';
    const to = { id: this.id, side, step, ...(address === undefined ? {} : { address }) } as const;
    await installation.advance(transaction, to, at(this.id, ...from));
  }
}

/** Leases have ended with the processes that held them; everything is looked at anew. */
async function makeAllDue(target: Installation, transaction: Transaction): Promise<void> {
  for (const schema of target.schemas) {
    const tables = await fencedTables(transaction, schema);
    if (!tables.some(({ name }) => name === 'work_items')) continue;
    await transaction.rowsOnce(
      `UPDATE ${quoted(schema)}.work_items SET lease_until = NULL, due_at = now(), attempts = 0`,
    );
  }
}

function describe({ schema, revision, kinds, contents }: SchemaSummary): string {
  const objects = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  return `${schema} is the same in both: ${objects} objects, revision ${revision}, ${Object.keys(contents).length} tables and sequences`;
}
