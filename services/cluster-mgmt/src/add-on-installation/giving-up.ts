import { deletionForcedOf } from '@crate/api';
import { hasCode, toPlatformError, type PlatformError } from '@crate/errors';
import { isRefusal } from '@crate/kubernetes';
import type { ReconcileContext } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';
import type { AddOnInstallationScope } from './add-on-installation.scope.js';

/** Calls that hang are made no longer than this, well within a pass: one that is cut off remembers nothing, and the next would be no better. */
const HICCUPS_FOR_MS = 60_000;

/** What a forced deletion does about objects that the cluster does not let go: it leaves them and goes on with the others. */
export class GivingUp {
  private hiccup: PlatformError | undefined;
  private readonly since: Date;

  constructor(
    private readonly scope: AddOnInstallationScope,
    private readonly context: Pick<ReconcileContext, 'attempts'>,
    private readonly logger: Logger,
    private readonly now: () => Date,
  ) {
    this.since = now();
  }

  readonly passesOver = (error: unknown): boolean => {
    if (!deletionForcedOf(this.scope.installation) || !isOfCluster(error)) return false;
    this.logger.warn('Leaving an object that its cluster does not let go', { error });
    // A webhook or an etcd that does not answer may do so in a moment.
    if (hasCode(error, 'Unavailable')) this.hiccup ??= toPlatformError(error);
    return true;
  };

  /** True once a server has not answered and the time is used up: what is left would hang as well. */
  readonly isOver = (): boolean =>
    this.hiccup !== undefined && this.now().getTime() - this.since.getTime() >= HICCUPS_FOR_MS;

  /** Throws what is worth another attempt. */
  check(): void {
    if (this.hiccup && (this.context.attempts ?? 0) === 0) throw this.hiccup;
  }
}

/** The cluster itself refuses, such as for a webhook of the add-on that does not answer any more. */
function isOfCluster(error: unknown): boolean {
  return hasCode(error, 'Unauthenticated') || (isRefusal(error) && !hasCode(error, 'NotFound'));
}
