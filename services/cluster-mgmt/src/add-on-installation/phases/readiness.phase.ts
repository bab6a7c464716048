import { conditionMessage, type InventoryEntry, type KubeObject } from '@crate/api';
import { invariant, PlatformError } from '@crate/errors';
import {
  describeEntry,
  inventoryOf,
  isConnectionDown,
  isReady,
  type Readiness,
  type TargetCluster,
} from '@crate/kubernetes';
import { settled, someAtATime, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { AddOnInstallationScope } from '../add-on-installation.scope.js';
import { unreadyPauseMs } from '../pauses.js';

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
      if (isConnectionDown(error)) return waiting('ConnectionDown', unreadyPauseMs(scope.installation, this.now()));
      throw error;
    }
  };

  private async look(scope: AddOnInstallationScope, target: TargetCluster, signal: AbortSignal): Promise<Outcome> {
    const entries = inventoryOf(scope.installation.spec.manifests);
    const found = await someAtATime(entries, AT_A_TIME, async (entry) =>
      unreadiness(entry, await target.find(entry, signal)),
    );
    const unready = found.filter((each) => each !== undefined);
    const failed = unready.find(({ hasFailed }) => hasFailed);
    const first = (failed ?? unready[0])?.text;
    const message = conditionMessage(first ?? 'Ready');
    scope.progress = { step: entries.length - unready.length, steps: entries.length, message };
    if (failed) throw jobFailed(failed.text);
    if (first === undefined) return settled;
    return waiting('WaitingForObjects', unreadyPauseMs(scope.installation, this.now()));
  }
}

interface Unready {
  readonly text: string;
  readonly hasFailed: boolean;
}

/** Undefined for what is ready. */
function unreadiness(entry: InventoryEntry, object: KubeObject | undefined): Unready | undefined {
  const readiness: Readiness = object ? isReady(object) : { ready: false, message: 'does not exist' };
  if (readiness.ready) return undefined;
  return { text: `${describeEntry(entry)}: ${readiness.message}`, hasFailed: readiness.hasFailed === true };
}

/** No Job begins again by itself once it has given up. */
function jobFailed(message: string): PlatformError {
  const remedy = 'See the logs of its pods; correct the add-on, or delete the Job, which is then made anew';
  return new PlatformError('InvalidSpec', message, { retry: 'slow', details: { reason: 'JobFailed', remedy } });
}
