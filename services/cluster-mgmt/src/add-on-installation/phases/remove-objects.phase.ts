import { deletionForcedOf, type InventoryEntry } from '@crate/api';
import { hasCode, toPlatformError, type PlatformError } from '@crate/errors';
import { describeEntry, isConnectionDown, isRefusal, pruneSet } from '@crate/kubernetes';
import {
  blockedForMs,
  settled,
  waiting,
  type FoundBlocker,
  type Outcome,
  type ReconcileContext,
} from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import type { SharedClock } from '../../shared-clock.js';
import { isGoing, isStaying, type AddOnInstallationScope } from '../add-on-installation.scope.js';
import { GivingUp } from '../giving-up.js';
import { CSI_DRIVER, neededByAnother, qualifiedName, stillThere, STORAGE_CLASS } from '../held-back.js';
import { pauseMs } from '../pauses.js';
import { silenceOf, silentForMs } from '../silent-cluster.js';
import { takeAway, type TakeAwayParts } from '../take-away.js';
import { volumesInUse } from '../volumes-in-use.js';

/** Volumes may be in use for days, also those that another add-on waits for. */
const AWAITED_AGAIN_MS = 5000;
const UNREACHABLE_AGAIN_MS = 5000;
const OBJECT_PATIENCE_MS = 2000;

export interface RemoveObjectsOptions {
  /** How long a cluster is waited for that does not answer while its deletion is asked for. One that nobody deletes is waited for without end. */
  readonly patienceMs: number;
  /** The same when it is the cluster's own turn: its machines may be gone for good. */
  readonly patienceWhileDeletingMs: number;
}

export interface RemoveObjectsParts extends TakeAwayParts {
  readonly logger: Logger;
  /** Counts for how long the cluster is silent, over the passes of all replicas. */
  readonly sharedClock: SharedClock;
}

/** Takes the add-on's objects away, last applied first, and proves that they are gone. What other add-ons need is theirs from then on. */
export class RemoveObjectsPhase {
  constructor(
    private readonly options: RemoveObjectsOptions,
    private readonly parts: RemoveObjectsParts,
    private readonly now: () => Date = () => new Date(),
  ) {}

  readonly run = async (scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> => {
    if (scope.lostKey) return this.noteSilence(scope, scope.lostKey);
    if (!scope.target) return this.abandon(scope, scope.inventory); // With a cluster that is gone, so are its objects.
    try {
      return await this.removeInTurns(scope, context);
    } catch (error) {
      if (isConnectionDown(error) || isUnserved(scope, error))
        return await this.noteSilence(scope, toPlatformError(error));
      throw error;
    }
  };

  /** Takes nothing away while volumes need it; they are looked for anew before each turn. */
  private async removeInTurns(scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> {
    for (const entries of turnsOf(scope)) {
      scope.blockers = await volumesInUse(scope, context.remoteSignal);
      if (scope.blockers.length > 0) return waiting('VolumesInUse', AWAITED_AGAIN_MS);
      const outcome = await this.remove(entries, scope, context);
      if (outcome.kind === 'waiting') return outcome;
    }
    return settled;
  }

  private async remove(
    entries: readonly InventoryEntry[],
    scope: AddOnInstallationScope,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const steps = scope.inventory.length;
    const giveUp = new GivingUp(scope, context, this.parts.logger, this.now);
    const { passesOver, isOver } = giveUp;
    const options = { entries, patienceMs: OBJECT_PATIENCE_MS, passesOver, isOver };
    const removal = await takeAway(this.parts, scope, options, context);
    const left = [...removal.left, ...removal.awaited];
    scope.inventory = [...pruneSet(scope.inventory, entries), ...left.toReversed()];
    const next = scope.inventory.at(-1);
    const step = entries.length - left.length;
    scope.progress = { step, steps, message: next ? describeEntry(next) : 'Removed' };
    giveUp.check();
    if (left.length === 0) return settled;
    // They go down with the cluster; of one that stays, somebody has said that they are left.
    if (deletionForcedOf(scope.installation)) return this.abandon(scope, left);
    // Those behind the first were not asked yet.
    scope.blockers = [...removal.left.slice(0, 1).map(stillThere), ...removal.awaited.map(neededByAnother)];
    const [first] = removal.left;
    return waiting('WaitingForObjectsToGo', first ? this.pauseMs(scope, stillThere(first)) : AWAITED_AGAIN_MS);
  }

  /** By how long it has been in the way: each object has its own time to go. */
  private pauseMs({ installation }: AddOnInstallationScope, { kind, name, reason }: FoundBlocker): number {
    const blockers = installation.status?.deletion?.blockers ?? [];
    const known = blockers.filter((each) => each.kind === kind && each.name === name && each.reason === reason);
    return pauseMs(blockedForMs(known, this.now()));
  }

  private abandon(scope: AddOnInstallationScope, left: readonly InventoryEntry[]): Outcome {
    if (isStaying(scope)) scope.abandoned = left.map((entry) => ({ kind: entry.kind, name: qualifiedName(entry) }));
    return settled;
  }

  private async noteSilence(scope: AddOnInstallationScope, why: PlatformError): Promise<Outcome> {
    if (deletionForcedOf(scope.installation)) return this.giveUp(scope);
    const patienceMs = this.patienceMs(scope);
    const blocker = silenceOf(scope, why, patienceMs);
    // Also of one that is given up: should the finalizer not go this time, nobody waits anew.
    scope.blockers = [blocker];
    const now = (await this.parts.sharedClock())();
    const isOver = silentForMs(scope, now) >= patienceMs;
    return isOver ? this.giveUp(scope) : waiting(blocker.reason, UNREACHABLE_AGAIN_MS);
  }

  private patienceMs(scope: AddOnInstallationScope): number {
    const { patienceMs, patienceWhileDeletingMs } = this.options;
    // What is left behind in a cluster that nobody deletes does not go down with it.
    if (!isGoing(scope)) return Infinity;
    return scope.cluster?.metadata.deletionTimestamp === undefined ? patienceMs : patienceWhileDeletingMs;
  }

  private giveUp(scope: AddOnInstallationScope): Outcome {
    const objects = scope.inventory.map(describeEntry);
    this.parts.logger.warn('Giving up removing an add-on from a silent cluster', { objects });
    scope.isGivenUp = true;
    return this.abandon(scope, scope.inventory);
  }
}

/** What goes in one go. Classes of a driver go first: without them it makes no new volumes, and those there are by then keep it whole. */
function turnsOf({ installation, inventory }: AddOnInstallationScope): readonly (readonly InventoryEntry[])[] {
  const classes = inventory.filter(({ kind }) => kind === STORAGE_CLASS);
  const hasDriver = inventory.some(({ kind }) => kind === CSI_DRIVER);
  if (!hasDriver || classes.length === 0 || deletionForcedOf(installation)) return [inventory];
  return [classes, pruneSet(inventory, classes)];
}

/** A group or a webhook whose server has gone may never answer again: a cluster that goes waits for it no longer than for itself. */
function isUnserved(scope: AddOnInstallationScope, error: unknown): boolean {
  if (!isGoing(scope) || deletionForcedOf(scope.installation)) return false;
  return isRefusal(error) && hasCode(error, 'Unavailable');
}
