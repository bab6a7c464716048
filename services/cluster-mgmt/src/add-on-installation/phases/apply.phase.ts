import { isDeepStrictEqual } from 'node:util';
import {
  conditionMessage,
  isPaused,
  PAUSED,
  type AddOnInstallation,
  type InventoryEntry,
  type KubernetesCluster,
  type Manifest,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { invariant } from '@crate/errors';
import {
  applyManifests,
  describeEntry,
  findDrift,
  inventoryOf,
  isConnectionDown,
  mergeInventories,
  neededBy,
  pruneSet,
  type Drift,
  type ManifestOptions,
} from '@crate/kubernetes';
import { fitsOneCall, type PolicyReviewer, type StandingReviews } from '@crate/messaging';
import {
  saveStatusIfChanged,
  settled,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryHold } from '@crate/service-host';
import type { Logger } from '@crate/telemetry';
import { renewManifests } from '../../policy/gone-manifests.js';
import { addOnDenied, judgedAddOn, manifestReviews } from '../../policy/manifest-review.js';
import { isExistingCluster } from '../../kubernetes-cluster/kubernetes-cluster.scope.js';
import { driftCorrected, isUpToDate, objectContested } from '../add-on-installation.events.js';
import type { AddOnInstallationScope } from '../add-on-installation.scope.js';
import { refuseForeign } from '../foreign-objects.js';
import { stillThere } from '../held-back.js';
import { explained, terminatingNamespace } from '../manifest-refusals.js';
import { unreadyPauseMs } from '../pauses.js';
import { contestedObjects, othersInCluster } from '../shared-objects.js';
import { takeAway } from '../take-away.js';

/** Owner of every field that add-ons state, as server-side apply records it. */
export const FIELD_MANAGER = 'crate';

const LOOK_AGAIN_MS = 5000;
/** The end of the pause wakes the key; this is in case the news was lost. */
const PAUSED_LOOK_AGAIN_MS = 60_000;
const PRUNE_PATIENCE_MS = 2000;

export interface ApplyPhaseParts {
  readonly installations: TypedClient<AddOnInstallation>;
  readonly logger: Logger;
  readonly events?: EventRecorder;
  readonly policies: PolicyReviewer;
  readonly standing: StandingReviews;
  /** While the database is older than the world, nothing is taken away. */
  readonly recovery?: Pick<RecoveryHold, 'check'>;
}

/**
 * Puts into the cluster what is missing or differs, and takes away what is no longer stated; nothing of it, when policies forbid one
 * object. The inventory is written down first: whenever this is interrupted, every object that may exist is known. While it is paused
 * everything is left as it is, and told; what was applied, also where its drift is observed only.
 */
export class ApplyPhase {
  constructor(
    private readonly parts: ApplyPhaseParts,
    private readonly now: () => Date = () => new Date(),
  ) {}

  readonly run = async (scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> => {
    try {
      return await (isLeft(scope) ? this.leave(scope, context) : this.apply(scope, context));
    } catch (error) {
      if (isConnectionDown(error)) return waiting('ConnectionDown', LOOK_AGAIN_MS);
      const terminating = terminatingNamespace(error);
      if (terminating !== undefined) return this.awaitNamespace(scope, terminating);
      throw explained(error);
    }
  };

  private async leave(scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> {
    const { target, installation } = scope;
    if (!isUpToDate(installation)) return waiting(PAUSED, PAUSED_LOOK_AGAIN_MS);
    if (!target) throw invariant('The apply phase ran before the cluster phase');
    const options = this.optionsOf(installation, context.remoteSignal);
    scope.drifted = seenDrift(await findDrift(target, installation.spec.manifests, options)).map(named);
    scope.isApplied = true;
    await this.judgeStanding(scope, context);
    return settled;
  }

  private awaitNamespace(scope: AddOnInstallationScope, why: string): Outcome {
    const message = conditionMessage(`Waiting for a namespace that is being deleted: ${why}`);
    scope.progress = { step: 0, steps: 1, message };
    return waiting('WaitingForNamespace', LOOK_AGAIN_MS);
  }

  private async apply(scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> {
    const { target, installation } = scope;
    const signal = context.remoteSignal;
    const options = this.optionsOf(installation, signal);
    if (!target) throw invariant('The apply phase ran before the cluster phase');
    const { manifests } = installation.spec;
    const wanted = inventoryOf(manifests);
    const isUnasked = installation.spec.unasked === true;
    if (scope.cluster && (isUnasked || isExistingCluster(scope.cluster))) {
      await refuseForeign(target, pruneSet(wanted, scope.inventory), { fieldManager: FIELD_MANAGER, signal });
    }
    const drifted = await findDrift(target, manifests, options);
    const isRemembered = drifted.length > 0 && (await this.judgeChange(scope, context));
    await this.recordInventory(scope, mergeInventories(scope.inventory, wanted));

    await this.tellDrift(installation, drifted);
    await applyManifests(
      target,
      drifted.map(({ manifest }) => manifest),
      options,
    );
    // Taken away first: the answer may take what is left of the pass. Asked also where something cannot be taken away.
    try {
      return await this.prune(scope, context);
    } finally {
      if (!isRemembered) await this.judgeStanding(scope, context);
    }
  }

  /** Jobs are made anew for another spec only: one that is refused though its add-on is the same would run again at every look. */
  private optionsOf(installation: AddOnInstallation, signal: AbortSignal): ManifestOptions {
    const options: ManifestOptions = { fieldManager: FIELD_MANAGER, signal };
    if (isUpToDate(installation)) return options;
    return {
      ...options,
      beforeReplacing: async (what) => this.parts.recovery?.check(`${what} would be made anew`),
    };
  }

  /** Takes away what is no longer stated. What the rest lives in, or is an instance of, stays until the add-on goes. */
  private async prune(scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> {
    const stated = inventoryOf(scope.installation.spec.manifests);
    const obsolete = pruneSet(scope.inventory, stated);
    const needed = neededBy(stated, obsolete);
    const entries = pruneSet(obsolete, needed);
    if (entries.length > 0)
      await this.parts.recovery?.check(`${entries.length} objects of the add-on would be removed`);
    const { left } = await takeAway(this.parts, scope, { entries, stated, patienceMs: PRUNE_PATIENCE_MS }, context);
    scope.inventory = mergeInventories([...needed, ...left.toReversed()], stated);
    const [first, ...others] = left;
    if (first) {
      scope.progress = { step: 0, steps: 1, message: staying(first, others.length) };
      return waiting('WaitingForPrune', unreadyPauseMs(scope.installation, this.now()));
    }
    scope.isApplied = true;
    scope.drifted = [];
    return settled;
  }

  /** Says what is set back. Of an object that the cluster said nothing about, nobody knows whether it is. */
  private async tellDrift(installation: AddOnInstallation, drifted: readonly Drift[]): Promise<void> {
    const { installations, logger, events } = this.parts;
    const seen = seenDrift(drifted);
    if (seen.length === 0) return;
    const contested = contestedObjects(seen, await othersInCluster(installations, installation));
    if (contested.length > 0) {
      logger.warn('Add-ons state the same objects differently', { objects: contested });
      events?.record(installation, objectContested(installation, contested));
    }
    if (!isUpToDate(installation)) return;
    const objects = seen.map(named);
    logger.info('Correcting drift', { objects });
    events?.record(installation, driftCorrected(installation, objects));
  }

  /** Throws before anything enters the cluster that policies forbid, or nobody judges. False: of parts none is remembered before it stands. */
  private async judgeChange(scope: AddOnInstallationScope, context: ReconcileContext): Promise<boolean> {
    const { installation, inventory } = scope;
    const requests = manifestReviews(installation, clusterOf(scope), inventory);
    scope.review = judgedAddOn(installation, await this.parts.policies.reviewAll(requests, context));
    await this.renewUnstated(scope, context);
    const isOneCall = fitsOneCall(requests);
    if (isOneCall || !scope.review.allowed) this.parts.standing.note(...lookAt(scope), scope.review);
    if (!scope.review.allowed) throw addOnDenied(installation, scope.review.violations);
    return isOneCall;
  }

  /** What stands is judged again now and then, also where something of it differs at every look. */
  private async judgeStanding(scope: AddOnInstallationScope, context: ReconcileContext): Promise<void> {
    const { installation } = scope;
    const [key, version] = lookAt(scope);
    const requests = async (): Promise<readonly PolicyReviewRequest[]> => {
      await this.renewUnstated(scope, context);
      return manifestReviews(installation, clusterOf(scope));
    };
    const merge = (verdicts: readonly PolicyReviewResponse[]): PolicyReviewResponse =>
      judgedAddOn(installation, verdicts);
    const compliance = await this.parts.standing.judge({ key, version, requests, merge }, context);
    if (compliance) scope.compliance = compliance;
  }

  /** What is not stated any more is there until it is taken away: not while the next version is denied, or the rest lives in it. */
  private async renewUnstated(scope: AddOnInstallationScope, context: ReconcileContext): Promise<void> {
    const { inventory, installation } = scope;
    const left = pruneSet(inventory, inventoryOf(installation.spec.manifests));
    await renewManifests(this.parts.policies, clusterOf(scope), left, context);
  }

  private async recordInventory(
    scope: AddOnInstallationScope,
    inventory: AddOnInstallationScope['inventory'],
  ): Promise<void> {
    scope.inventory = inventory;
    const { status } = scope.installation;
    if (isDeepStrictEqual(status?.inventory, inventory)) return;
    const next = { ...status, inventory };
    scope.installation = await saveStatusIfChanged(this.parts.installations, scope.installation, next);
  }
}

/** Whether nothing is put back now. Another spec is applied with all there is, whoever changed it. */
function isLeft({ installation }: AddOnInstallationScope): boolean {
  if (isPaused(installation)) return true;
  return installation.spec.drift?.policy === 'observe' && isUpToDate(installation);
}

/** What is no longer stated and does not go. Those behind it were not asked yet. */
function staying(entry: InventoryEntry, behind: number): string {
  const more = behind > 0 ? ` (${behind} more behind it)` : '';
  const { remedy } = stillThere(entry);
  return conditionMessage(`Waiting for ${describeEntry(entry)} to go, which is no longer stated${more}. ${remedy}`);
}

function seenDrift(drifted: readonly Drift[]): readonly Manifest[] {
  return drifted.filter(({ isSeen }) => isSeen).map(({ manifest }) => manifest);
}

function named({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

function clusterOf({ cluster }: AddOnInstallationScope): KubernetesCluster {
  if (!cluster) throw invariant('The apply phase ran before the cluster phase');
  return cluster;
}

/** Whose verdicts they are, and on what: the cluster's labels may decide. */
function lookAt(scope: AddOnInstallationScope): readonly [key: string, version: string] {
  const { uid, generation } = scope.installation.metadata;
  return [uid, JSON.stringify([generation, clusterOf(scope).metadata.labels ?? {}])];
}
