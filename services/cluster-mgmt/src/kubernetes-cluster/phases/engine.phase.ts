import type { KubernetesCluster, PolicyReviewRequest } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { PolicyReviewer, StandingReviews } from '@crate/messaging';
import { settled, waiting, type DeletionWatch, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { ClusterEngine, EngineState, EngineTask } from '../../engine/cluster-engine.js';
import { engineStateDamaged } from '../../engine-state/engine-state-damage.js';
import { hashEngineTask, type EngineConfig } from '../../engine/engine-config.js';
import type { EngineSlots } from '../../engine/engine-slots.js';
import { rkeConfig, type RkeConfigOptions } from '../../engine/rke/rke-config.js';
import { engineConfigDenied, engineConfigReview } from '../../policy/engine-config-review.js';
import type { NodeDrain } from '../../nodes/node-drain.js';
import type { SilentWorkers } from '../../nodes/silent-workers.js';
import type { LossGuard } from '../../recovery/loss-guard.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import { keyOf, type KubernetesClusterScope } from '../kubernetes-cluster.scope.js';
import { waitForDocker } from './wait-for-docker.js';
import { waitForSlot } from './wait-for-slot.js';

export interface EnginePhaseParts extends RkeConfigOptions {
  readonly engine: ClusterEngine;
  readonly slots: EngineSlots;
  readonly policies: PolicyReviewer;
  readonly standing: StandingReviews;
  readonly deletions: DeletionWatch<KubernetesCluster>;
  /** Holds back what would take something from a cluster that the memory may know too little of. */
  readonly losses?: Pick<LossGuard, 'check'>;
  readonly drain: NodeDrain;
  readonly silence: Pick<SilentWorkers, 'list'>;
}

/** What is to be done. */
interface Work {
  readonly config: EngineConfig;
  readonly hash: string;
}

/** Brings the machines to the spec with the engine, unless they are there already. */
export class EnginePhase {
  constructor(private readonly parts: EnginePhaseParts) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { cluster } = scope;
    const { uid } = cluster.metadata;
    const work = await this.find(scope);
    if (scope.isApplied) return this.judgeAgain(scope, work, context);
    await this.parts.losses?.check(cluster, context.remoteSignal);
    // First, since a run that died may have made more nodes than are known of.
    await this.parts.engine.settleEarlierRuns(uid, context.epoch);
    scope.stage = 'plan';
    const drained = await this.drain(scope, work, context);
    if (drained.kind === 'waiting') return drained;

    const slot = this.parts.slots.request(JSON.stringify(keyOf(scope)));
    if (!slot.granted) return waitForSlot(scope, 'up', slot.position);
    try {
      await this.admit(scope, work, context);
      const drains = changesVersion(cluster) || scope.engine?.isBetweenVersions === true;
      const silentWorkers = await this.parts.silence.list(scope, drains, context.remoteSignal);
      const run = { silentWorkers, drains, generation: cluster.metadata.generation, epoch: context.epoch };
      const server = serverOf(cluster);
      const task = { clusterUid: uid, config: work.config, ...(server === undefined ? {} : { server }), ...run };
      return await this.up(scope, task, context);
    } finally {
      slot.release();
    }
  };

  /** Finds out how the machines stand to the spec, and does nothing to them: no run waits for its turn any more. */
  readonly look = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    this.parts.slots.leave(JSON.stringify(keyOf(scope)));
    const work = await this.find(scope);
    return scope.isApplied ? this.judgeAgain(scope, work, context) : settled;
  };

  /** What is to be done, unless it is applied. */
  private async find(scope: KubernetesClusterScope): Promise<Work> {
    const { cluster } = scope;
    const { uid } = cluster.metadata;
    const config = rkeConfig(cluster.spec, { sshUser: this.parts.sshUser });
    scope.engine = notSetBack(await this.parts.engine.observe(uid), cluster);
    await this.parts.engine.verifyState(uid);
    const hash = hashEngineTask({ config, server: serverOf(cluster) });
    scope.isApplied = scope.engine.appliedHash === hash || isReleased(scope.engine, cluster);
    return { config, hash };
  }

  /** The engine takes nodes away with all that runs on them. Outside of a slot, which others would wait for. */
  private async drain(scope: KubernetesClusterScope, work: Work, context: ReconcileContext): Promise<Outcome> {
    const { spec, metadata } = scope.cluster;
    const members = await this.parts.engine.members(metadata.uid);
    const leaving = members.filter((name) => !spec.nodes.some((node) => node.name === name));
    if (leaving.length === 0) return settled;
    // What policy denies must cost nobody a pod.
    await this.admit(scope, work, context);
    return this.parts.drain.run(scope, leaving, context);
  }

  /** Throws what policy denies. Asks once in a pass. */
  private async admit(scope: KubernetesClusterScope, { config, hash }: Work, context: ReconcileContext): Promise<void> {
    if (scope.review) return;
    const { cluster, engine } = scope;
    const operation = engine?.wasStarted ? 'UPDATE' : 'CREATE';
    const review = await this.parts.policies.review(engineConfigReview(cluster, config, operation), context);
    scope.review = review;
    this.parts.standing.note(cluster.metadata.uid, versionOf(cluster, hash), review);
    if (!review.allowed) throw engineConfigDenied(cluster, review.violations);
    scope.stage = 'work';
  }

  /** Rules change. What breaks one now is told, and left as it is. */
  private async judgeAgain(
    scope: KubernetesClusterScope,
    { config, hash }: Work,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { cluster } = scope;
    const { uid } = cluster.metadata;
    const { appliedHash = hash } = scope.engine ?? {};
    // What another release has applied, since that is what stands. Read when it is judged alone.
    const applied = async (): Promise<EngineConfig> =>
      (appliedHash === hash ? undefined : await this.parts.engine.appliedConfig(uid)) ?? config;
    const requests = async (): Promise<PolicyReviewRequest[]> => [engineConfigReview(cluster, await applied())];
    const document = { key: uid, version: versionOf(cluster, appliedHash), requests };
    const compliance = await this.parts.standing.judge(document, context);
    if (compliance) scope.compliance = compliance;
    return settled;
  }

  private async up(
    scope: KubernetesClusterScope,
    task: Omit<EngineTask, 'signal' | 'onProgress'>,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const deletion = this.parts.deletions.start(scope.cluster, context.remoteSignal);
    try {
      await this.parts.engine.up({
        ...task,
        signal: deletion.signal,
        onProgress: ({ step, message }) => {
          scope.progress = engineProgress('up', { step, message });
          scope.report(scope);
        },
      });
    } catch (error) {
      // No use in finishing what is to be removed: the next pass begins with that.
      if (deletion.isRequested()) return waiting('DeletionRequested', 0);
      if (context.remoteSignal.aborted) throw toPlatformError(context.remoteSignal.reason);
      scope.engine = await this.parts.engine.observe(task.clusterUid);
      const wait = waitForDocker(scope, error);
      if (wait) return wait;
      throw error;
    } finally {
      deletion.stop();
    }
    scope.engine = await this.parts.engine.observe(task.clusterUid);
    scope.isApplied = true;
    return settled;
  }
}

/** What a verdict depends on, but for the rules. */
function versionOf({ metadata }: KubernetesCluster, hash: string): string {
  return JSON.stringify([hash, metadata.labels ?? {}]);
}

/**
 * Whether all that is asked for was applied in full, so that another hash is the doing of another release: that comes with the next change of
 * the spec. Releases that run side by side would else apply their own in turns.
 */
function isReleased({ appliedHash, appliedGeneration }: EngineState, { metadata, status }: KubernetesCluster): boolean {
  if (appliedHash === undefined) return false;
  // The run knows of a spec that was applied, though the pass failed after it; the status of one that needed no run.
  return [appliedGeneration, status?.observedGeneration].includes(metadata.generation);
}

/** Throws `StateRolledBack` when the store knows less than the cluster has seen: versions were taken away. */
function notSetBack(engine: EngineState, { status }: KubernetesCluster): EngineState {
  if ((engine.stateSerial ?? 0) >= (status?.stateSerial ?? 0)) return engine;
  throw engineStateDamaged('rolledBack');
}

/**
 * Of the cluster, or of nodes alone that an earlier run got to, or did not, as far as anybody looked since. What was never up has nothing to
 * be drained.
 */
function changesVersion({ spec, status }: KubernetesCluster): boolean {
  if (status?.version === undefined) return false;
  const isOther = ({ name, version }: NonNullable<typeof status.nodes>[number]): boolean =>
    version !== spec.version && spec.nodes.some((node) => node.name === name);
  return status.version !== spec.version || (status.nodes ?? []).some(isOther);
}

function serverOf({ spec }: KubernetesCluster): string | undefined {
  return spec.apiEndpoint && `https://${spec.apiEndpoint.host}:${spec.apiEndpoint.port}`;
}
