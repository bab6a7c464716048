import { findCondition, type InventoryEntry, type KubeObject } from '@crate/api';
import { invariant } from '@crate/errors';
import { describeEntry, inventoryOf, isConnectionDown, isReady, type TargetCluster } from '@crate/kubernetes';
import { settled, someAtATime, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { AddOnInstallationScope } from '../add-on-installation.scope.js';

const MINUTE_MS = 60_000;
/** Objects that are looked at. */
const AT_A_TIME = 8;

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
    const found = await someAtATime(entries, AT_A_TIME, async (entry) =>
      unreadyText(entry, await target.find(entry, signal)),
    );
    const unready = found.filter((text) => text !== undefined);
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

/** Undefined for what is ready. */
function unreadyText(entry: InventoryEntry, object: KubeObject | undefined): string | undefined {
  const readiness = object ? isReady(object) : { ready: false as const, message: 'does not exist' };
  return readiness.ready ? undefined : `${describeEntry(entry)}: ${readiness.message}`;
}
