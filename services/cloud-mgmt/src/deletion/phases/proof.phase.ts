import { setTimeout as sleep } from 'node:timers/promises';
import { toTimestamp } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import { settled, type FoundBlocker, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { InfrastructureCloud } from '../../infrastructure/infrastructure-cloud.js';
import { reportProgress, type InfrastructureScope } from '../../infrastructure/infrastructure.scope.js';
import { stillListed, undecidedVolume } from '../cloud-blockers.js';
import type { DeletionRecords } from '../deletion-records.js';
import type { AccessibleTarget, DeletionTargets } from '../deletion-target.js';
import { unlessLockedOut, waitOrGiveUp } from '../give-up.js';
import { leftoversOf } from '../leftovers.js';

export interface ProofPhaseParts {
  readonly targets: DeletionTargets;
  readonly records: DeletionRecords;
  readonly now?: () => Date;
}

/** Proves that nothing is left before the finalizer goes, and writes down the proof, or what was left behind. */
export class ProofPhase {
  constructor(private readonly parts: ProofPhaseParts) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const target = await this.parts.targets.of(scope.infrastructure);
    // Nothing was made, so there is nothing to prove.
    if (target.kind === 'untouched') return settled;
    const account = target.kind === 'accessible' ? target.account : undefined;
    const look = async (): Promise<string | Outcome | undefined> =>
      target.kind === 'accessible' ? this.look(scope, target, context) : undefined;
    const emptyAt = await unlessLockedOut(scope, context, look, () => undefined);
    if (emptyAt !== undefined && typeof emptyAt !== 'string') return emptyAt;
    await this.parts.records.write(scope, { account, emptyAt, traceId: context.traceId });
    return settled;
  };

  /** When everything was gone; an outcome while it is not; undefined when it was given up. */
  private async look(
    scope: InfrastructureScope,
    { account, cloud }: AccessibleTarget,
    { remoteSignal: signal }: ReconcileContext,
  ): Promise<string | Outcome | undefined> {
    const { all: left, blockers } = await this.listUntilSure(scope, cloud, signal);
    if (left.length === 0)
      return scope.abandoned.length === 0 ? toTimestamp(this.parts.now?.() ?? new Date()) : undefined;
    const outcome = waitOrGiveUp(scope, { blockers, left, account });
    return outcome.kind === 'waiting' ? outcome : undefined;
  }

  /** Nothing is left only when two listings say so, with a pause between them as long as listings lag. */
  private async listUntilSure(
    scope: InfrastructureScope,
    cloud: InfrastructureCloud,
    signal: AbortSignal,
  ): Promise<Left> {
    const lagMs = await cloud.listingLagMs(signal);
    const first = await this.list(scope, cloud, signal);
    // Another one at once would say nothing of what both leave out still.
    if (first.all.length > 0) return first;
    // What was removed just now may have been left out too early, and what was made just before may be missing still.
    if (lagMs > 0) {
      reportProgress(scope, { step: 0, steps: 1, message: 'Making sure that nothing is left' });
      await sleep(lagMs, undefined, { signal });
    }
    return this.list(scope, cloud, signal);
  }

  private async list(
    { infrastructure }: InfrastructureScope,
    cloud: InfrastructureCloud,
    signal: AbortSignal,
  ): Promise<Left> {
    const owned = await cloud.listOwned(signal);
    const { removable, undecided } = leftoversOf(infrastructure, await cloud.listInCluster(signal));
    const going = [...owned, ...removable];
    return {
      all: [...going, ...undecided],
      blockers: [...going.map(stillListed), ...undecided.map(undecidedVolume)],
    };
  }
}

/** What is there still, and what is to be said of each. */
interface Left {
  readonly all: readonly OwnedResource[];
  readonly blockers: readonly FoundBlocker[];
}
