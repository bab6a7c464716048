import { findCondition } from '@crate/api';
import { invariant } from '@crate/errors';
import { describeEntry, inventoryOf, isConnectionDown, isReady, type TargetCluster } from '@crate/kubernetes';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { AddOnInstallationScope } from '../add-on-installation.scope.js';

const MINUTE_MS = 60_000;

/** Waits until every object of the add-on does what it is for. */
export class ReadinessPhase {
  constructor(private readonly now: () => Date = () => new Date()) {}

  readonly run = async (scope: AddOnInstallationScope, context: ReconcileContext): Promise<Outcome> => {
    const { target } = scope;
    if (!target) throw invariant('The readiness phase ran before the cluster phase');
    try {
      return await this.look(scope, target, context.remoteSignal);
    } catch (error) {
      if (isConnectionDown(error)) return waiting('ConnectionDown', this.pauseMs(scope));
      throw error;
    }
  };

  private async look(scope: AddOnInstallationScope, target: TargetCluster, signal: AbortSignal): Promise<Outcome> {
    const entries = inventoryOf(scope.installation.spec.manifests);
    const unready: string[] = [];
    for (const entry of entries) {
      const object = await target.find(entry, signal);
      const readiness = object ? isReady(object) : { ready: false as const, message: 'does not exist' };
      if (!readiness.ready) unready.push(`${describeEntry(entry)}: ${readiness.message}`);
    }
    const [first] = unready;
    scope.progress = { step: entries.length - unready.length, steps: entries.length, message: first ?? 'Ready' };
    return first === undefined ? settled : waiting('WaitingForObjects', this.pauseMs(scope));
  }

  /** Most add-ons are ready within seconds; one that is not for minutes is not worth a look every second. */
  private pauseMs({ installation }: AddOnInstallationScope): number {
    const since = findCondition(installation.status?.conditions, 'Ready')?.lastTransitionTime;
    const waitedMs = this.now().getTime() - Date.parse(since ?? installation.metadata.creationTimestamp);
    if (waitedMs < MINUTE_MS) return 1000;
    return waitedMs < 10 * MINUTE_MS ? 5000 : 30_000;
  }
}
