import {
  ADD_ON_INSTALLATION,
  CLUSTER_DELETION_ANNOTATION,
  KUBERNETES_CLUSTER,
  type AddOnInstallation,
  type KubernetesCluster,
} from '@crate/api';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, StandingReviews, type WhenUnavailable } from '@crate/messaging';
import { InMemoryEventRecorder, type Outcome, type Phase, type ReconcileContext } from '@crate/reconcile';
import { InMemorySecretStore } from '@crate/secrets';
import { RecoveryHold, type OpenRecovery } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import {
  AddOnInstallationReconciler,
  type AddOnInstallationPhases,
} from '../add-on-installation/add-on-installation.reconciler.js';
import type { AddOnInstallationScope } from '../add-on-installation/add-on-installation.scope.js';
import { ApplyPhase } from '../add-on-installation/phases/apply.phase.js';
import { ClusterPhase } from '../add-on-installation/phases/cluster.phase.js';
import { ReadinessPhase } from '../add-on-installation/phases/readiness.phase.js';
import { RemoveObjectsPhase } from '../add-on-installation/phases/remove-objects.phase.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { installationSpec, machineSpec } from './builders.js';
import { FakeConnections } from './fakes.js';
import { aContext, LocalClients } from './local-clients.js';

const KEY = { namespace: 'team-a', name: 'demo-docs' };
const AVAILABLE = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };

/** How often what stands is judged again. */
export const STANDING_MS = 300_000;

/** Everything around the reconciler of AddOnInstallations, in memory. */
export class AddOnBench {
  readonly local = new LocalClients(() => new Date(this.nowMs));
  readonly secrets = new InMemorySecretStore();
  readonly target = new InMemoryTargetCluster();
  readonly connections = new FakeConnections(this.secrets, this.target);
  readonly logger = new InMemoryLogger();
  readonly events = new InMemoryEventRecorder();
  readonly policies = new ScriptedPolicyReviewer();
  /** What is done while they do not answer. */
  readonly whenUnavailable: { Manifest?: WhenUnavailable } = {};
  /** Set while the database is older than the world. */
  setBack: OpenRecovery | undefined;
  readonly recovery = new RecoveryHold({ find: () => Promise.resolve(this.setBack) });
  /** Time as phases and the API see it: it passes by hand only. */
  nowMs = Date.now();
  /** By how much the host's clock is ahead of the database's. */
  hostAheadMs = 0;
  private readonly sharedClock = (): Promise<() => Date> => Promise.resolve(() => new Date(this.nowMs));
  readonly phases: AddOnInstallationPhases = this.wire();

  constructor() {
    this.target.statusOnApply.set('Namespace', { phase: 'Active' });
    this.target.statusOnApply.set('Deployment', AVAILABLE);
  }

  create(spec = installationSpec(), labels?: Record<string, string>, name = KEY.name): Promise<AddOnInstallation> {
    const metadata = { ...KEY, name, ...(labels ? { labels } : {}) } as AddOnInstallation['metadata'];
    return this.local.create<AddOnInstallation>(ADD_ON_INSTALLATION, { metadata, spec });
  }

  /** The cluster the add-on is for, reachable, and ready unless said otherwise. */
  async createCluster(isReady = true, labels?: Record<string, string>, spec = machineSpec()): Promise<void> {
    const metadata = { ...(labels ? { labels } : {}) } as KubernetesCluster['metadata'];
    const made = await this.local.create<KubernetesCluster>(KUBERNETES_CLUSTER, { metadata, spec });
    await this.secrets.put(made.metadata.uid, SECRET_KINDS.kubeconfig, Buffer.from('kubeconfig'));
    await this.setClusterReady(isReady);
  }

  /** With what is not ready, as the cluster says it of its nodes. */
  async setClusterReady(isReady: boolean, ofNodes?: string): Promise<void> {
    const found = await this.local.clusters.find('demo', KEY.namespace);
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const ready = {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: 'Ready',
      message: '',
      lastTransitionTime,
      observedGeneration: found?.metadata.generation ?? 0,
    };
    const nodes = { ...ready, type: 'NodesReady', reason: 'WaitingForNodes', message: ofNodes ?? '' };
    const conditions = ofNodes === undefined ? [ready] : [ready, nodes];
    if (found) await this.local.clusters.saveStatus(found, { conditions });
  }

  /** It answers, is of that version, and one of its workers is not ready. */
  async breakWorker(version = 'v1.31.4'): Promise<void> {
    await this.setClusterReady(false, 'Not ready: demo-workers-1');
    const found = (await this.local.clusters.find('demo', KEY.namespace))!;
    const { conditions = [] } = found.status!;
    const answers = { ...conditions[0]!, type: 'ControlPlaneReady', status: 'True' as const };
    const nodes = found.spec.nodes.map(({ name, role }) => ({ name, role, ready: !name.endsWith('-1'), version }));
    await this.local.clusters.saveStatus(found, { conditions: [...conditions, answers], version, nodes });
  }

  /** Requests the deletion of the cluster, which something else keeps from happening. */
  async beginClusterDeletion(): Promise<void> {
    await this.local.clusters.merge('demo', KEY.namespace, { metadata: { finalizers: ['x.y/z'] } });
    await this.local.clusters.remove('demo', KEY.namespace);
  }

  pass(
    context: ReconcileContext = aContext(),
    phases: Partial<AddOnInstallationPhases> = {},
    name = KEY.name,
  ): Promise<Outcome> {
    const now = (): Date => new Date(this.nowMs + this.hostAheadMs);
    const all = { ...this.phases, ...phases };
    const reconciler = new AddOnInstallationReconciler(this.local.installations, all, this.events, {
      now,
      sharedClock: this.sharedClock,
      warnAfterMs: 900_000,
    });
    return reconciler.reconcile({ ...KEY, name }, context);
  }

  async read(name = KEY.name): Promise<AddOnInstallation> {
    const found = await this.local.installations.find(name, KEY.namespace);
    if (!found) throw new Error('The installation is gone');
    return found;
  }

  async ready(): Promise<string> {
    const found = (await this.read()).status?.conditions?.find(({ type }) => type === 'Ready');
    return `${found?.status} ${found?.reason}`;
  }

  async setSpec(spec: AddOnInstallation['spec'], name = KEY.name): Promise<void> {
    await this.local.installations.merge(name, KEY.namespace, { spec });
  }

  async requestDeletion(name = KEY.name): Promise<void> {
    await this.local.installations.remove(name, KEY.namespace);
  }

  /** The same because the Cluster goes, whose add-ons go before it. */
  async requestDeletionWithCluster(name = KEY.name): Promise<void> {
    const annotations = { [CLUSTER_DELETION_ANNOTATION]: '2026-01-01T00:00:00Z' };
    await this.local.installations.merge(name, KEY.namespace, { metadata: { annotations } });
    await this.requestDeletion(name);
  }

  /** A process that dies once these phases are done: nothing more happens, and nobody is told. */
  async dieAfter(phases: readonly Phase<AddOnInstallationScope>[], kind: keyof AddOnInstallationPhases): Promise<void> {
    await new Promise<void>((resolve) => {
      const die = (): Promise<Outcome> => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      void this.pass(aContext(), { [kind]: [...phases, die] }).catch(() => undefined);
    });
  }

  private wire(): AddOnInstallationPhases {
    const now = (): Date => new Date(this.nowMs + this.hostAheadMs);
    const cluster = new ClusterPhase(this.local.clusters, this.connections);
    const { logger, events, recovery, whenUnavailable, sharedClock } = this;
    const policies = new GuardedPolicyReviewer(this.policies, { whenUnavailable, logger });
    const standing = new StandingReviews(policies, { everyMs: STANDING_MS, logger, now: () => this.nowMs });
    const { installations } = this.local;
    const patience = { patienceMs: 600_000, patienceWhileDeletingMs: 30_000 };
    return {
      bringUp: [
        cluster.bringUp,
        new ApplyPhase({ installations, logger, events, recovery, policies, standing }, now).run,
        new ReadinessPhase(now).run,
      ],
      tearDown: [
        recovery.deletionPhase(({ installation }: AddOnInstallationScope) => installation),
        cluster.tearDown,
        new RemoveObjectsPhase(patience, { installations, logger, policies: this.policies, sharedClock }, now).run,
      ],
    };
  }
}
