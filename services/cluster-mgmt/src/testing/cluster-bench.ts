import { KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, StandingReviews, type WhenUnavailable } from '@crate/messaging';
import {
  DeletionWatch,
  InMemoryEventRecorder,
  type Outcome,
  type Phase,
  type ReconcileContext,
} from '@crate/reconcile';
import { InMemorySecretStore } from '@crate/secrets';
import { RecoveryHold, type OpenRecovery } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { EngineSlots } from '../engine/engine-slots.js';
import { AdminBinding, keepAdmins } from '../kubernetes-cluster/admin-binding.js';
import {
  andIfUp,
  awaitResumption,
  notHeldPhase,
  ofExisting,
  ofMade,
  seenIfFailed,
  type KubernetesClusterPhases,
} from '../kubernetes-cluster/kubernetes-cluster.phases.js';
import { KubernetesClusterReconciler } from '../kubernetes-cluster/kubernetes-cluster.reconciler.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster/kubernetes-cluster.scope.js';
import { AttachPhase } from '../kubernetes-cluster/phases/attach.phase.js';
import { DrainPhase } from '../kubernetes-cluster/phases/drain.phase.js';
import { EnginePhase } from '../kubernetes-cluster/phases/engine.phase.js';
import { ForgetPhase } from '../kubernetes-cluster/phases/forget.phase.js';
import { machinesPhase } from '../kubernetes-cluster/phases/machines.phase.js';
import { ObservePhase } from '../kubernetes-cluster/phases/observe.phase.js';
import { RemoveAddOnsPhase } from '../kubernetes-cluster/phases/remove-add-ons.phase.js';
import { RemoveEnginePhase } from '../kubernetes-cluster/phases/remove-engine.phase.js';
import { SshKeyPhase } from '../kubernetes-cluster/phases/ssh-key.phase.js';
import { NodeDrain } from '../nodes/node-drain.js';
import { SilentWorkers } from '../nodes/silent-workers.js';
import { LossGuard } from '../recovery/loss-guard.js';
import { NodeWatches } from '../target/node-watches.js';
import { BARE_SPEC } from './builders.js';
import { FakeConnections, FakeEngine } from './fakes.js';
import { aContext, KEY, LocalClients } from './local-clients.js';

const SSH_USER = 'ubuntu';
/** How often what stands is judged again. */
export const STANDING_MS = 600_000;

/** Everything around the reconciler of KubernetesClusters, in memory. */
export class ClusterBench {
  readonly local = new LocalClients(() => new Date(this.nowMs));
  readonly secrets = new InMemorySecretStore();
  readonly target = new InMemoryTargetCluster();
  readonly engine = new FakeEngine(this.secrets, this.target);
  readonly connections = new FakeConnections(this.secrets, this.target);
  readonly policies = new ScriptedPolicyReviewer();
  /** What is done while they do not answer. */
  readonly whenUnavailable: { EngineConfig?: WhenUnavailable } = {};
  readonly logger = new InMemoryLogger();
  readonly events = new InMemoryEventRecorder();
  readonly slots = new EngineSlots(1);
  readonly admins = new AdminBinding(this.connections, this.logger);
  readonly watches = new NodeWatches({ connections: this.connections, onChange: () => undefined });
  readonly ready: string[] = [];
  /** Whether this service looks after the cluster that it runs in. */
  readonly inCluster = { enabled: true };
  /** Set while the database is older than the world. */
  setBack: OpenRecovery | undefined;
  readonly recovery = new RecoveryHold({ find: () => Promise.resolve(this.setBack) });
  /** Time as phases, the API and the clock of contacts see it: it passes by hand only. */
  nowMs = Date.now();
  /** By how much the host's clock is ahead of the database's. */
  hostAheadMs = 0;
  private readonly sharedClock = (): Promise<() => Date> => Promise.resolve(() => new Date(this.nowMs));
  readonly phases: KubernetesClusterPhases = this.wire();

  create(spec: KubernetesCluster['spec'] = BARE_SPEC): Promise<KubernetesCluster> {
    return this.local.create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec });
  }

  pass(context: ReconcileContext = aContext(), phases: Partial<KubernetesClusterPhases> = {}): Promise<Outcome> {
    const reconciler = new KubernetesClusterReconciler(
      this.local.clusters,
      { ...this.phases, ...phases },
      {
        onUsable: ({ metadata }) => Promise.resolve(void this.ready.push(metadata.name)),
        events: this.events,
        warnAfterMs: 900_000,
        now: () => new Date(this.nowMs + this.hostAheadMs),
        sharedClock: this.sharedClock,
      },
    );
    return reconciler.reconcile(KEY, context);
  }

  async read(): Promise<KubernetesCluster> {
    const found = await this.local.clusters.find(KEY.name, KEY.namespace);
    if (!found) throw new Error('The cluster is gone');
    return found;
  }

  async condition(type: string): Promise<string> {
    const found = (await this.read()).status?.conditions?.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}`;
  }

  /** Brings the cluster to Ready. */
  async makeReady(spec: KubernetesCluster['spec']): Promise<void> {
    await this.create(spec);
    await this.pass();
  }

  async setSpec(spec: KubernetesCluster['spec']): Promise<void> {
    await this.local.clusters.merge(KEY.name, KEY.namespace, { spec });
  }

  async requestDeletion(): Promise<void> {
    await this.local.clusters.remove(KEY.name, KEY.namespace);
  }

  /** A process that dies once these phases are done: nothing more happens, and nobody is told. */
  async dieAfter(phases: readonly Phase<KubernetesClusterScope>[], kind: keyof KubernetesClusterPhases): Promise<void> {
    const killed = new Promise<never>(() => undefined);
    const reached = new Promise<void>((resolve) => {
      const die = (): Promise<Outcome> => {
        resolve();
        return killed;
      };
      void this.pass(aContext(), { [kind]: [...phases, die] }).catch(() => undefined);
    });
    await reached;
  }

  private wire(): KubernetesClusterPhases {
    const { engine, slots, whenUnavailable, logger, sharedClock } = this;
    const policies = new GuardedPolicyReviewer(this.policies, { whenUnavailable, logger });
    const standing = new StandingReviews(policies, { everyMs: STANDING_MS, logger, now: () => this.nowMs });
    const contactGraceMs = 60_000;
    const nowMs = (): number => this.nowMs;
    const deletions = new DeletionWatch(this.local.clusters, this.local.store);
    const losses = new LossGuard(this.connections, this.recovery);
    const now = (): Date => new Date(this.nowMs);
    const drain = new NodeDrain({ connections: this.connections, contactGraceMs, logger, sharedClock, now: nowMs });
    const silence = new SilentWorkers({ connections: this.connections, sharedClock });
    const observe = new ObservePhase(this.connections, { graceMs: contactGraceMs, sharedClock }, this.watches, losses);
    const engineUp = new EnginePhase({
      engine,
      slots,
      policies,
      standing,
      deletions,
      losses,
      drain,
      silence,
      sshUser: SSH_USER,
    });
    const attach = ofExisting(new AttachPhase(this.secrets, this.inCluster).run);
    return {
      bringUp: [
        ofMade(new SshKeyPhase(this.secrets).run),
        ofMade(machinesPhase),
        ofMade(seenIfFailed(engineUp.run, andIfUp(observe.look, keepAdmins(this.admins)))),
        attach,
        andIfUp(observe.run, keepAdmins(this.admins)),
      ],
      pause: [
        ofMade(machinesPhase),
        ofMade(seenIfFailed(engineUp.look, observe.look)),
        attach,
        observe.run,
        awaitResumption,
      ],
      tearDown: [
        this.recovery.deletionPhase(({ cluster }: KubernetesClusterScope) => cluster),
        notHeldPhase,
        new RemoveAddOnsPhase(this.local.installations).run,
        ofMade(
          new DrainPhase({
            engine,
            connections: this.connections,
            logger,
            events: this.events,
            sharedClock,
            patienceMs: 600_000,
          }).run,
        ),
        ofMade(new RemoveEnginePhase({ engine, slots, logger, now, sshUser: SSH_USER, patienceMs: 600_000 }).run),
        new ForgetPhase(engine, this.secrets, this.connections, this.watches).run,
      ],
    };
  }
}
