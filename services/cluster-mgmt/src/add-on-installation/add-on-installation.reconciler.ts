import { CLUSTER_DELETION_ANNOTATION, type AddOnInstallation } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  isNoNews,
  recordDeletion,
  recordPass,
  Reconciler,
  removeFinalizer,
  runPhases,
  saveStatusIfChanged,
  SilentEventRecorder,
  type EventRecorder,
  type Outcome,
  type Phase,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { clockFor, type Clocks } from '../shared-clock.js';
import { ADD_ON_TELLINGS, addOnRemoved, removalGivenUp } from './add-on-installation.events.js';
import { openScope, type AddOnInstallationScope } from './add-on-installation.scope.js';
import { addOnInstallationStatus } from './add-on-installation.status.js';
import { silenceAfter } from './silent-cluster.js';

/** Held from before the first object is made until the last one is proved gone. */
export const ADD_ON_INSTALLATION_FINALIZER = 'cluster.crate.dev/addoninstallations';
/** Name of the reconciler, and with it of its queue. */
export const ADD_ON_INSTALLATION_RECONCILER = 'add-on-installation';

/** The way there and back, as ordered lists of phases. */
export interface AddOnInstallationPhases {
  readonly bringUp: readonly Phase<AddOnInstallationScope>[];
  readonly tearDown: readonly Phase<AddOnInstallationScope>[];
}

export interface AddOnInstallationClocks extends Clocks {
  /** From when on it is worth a warning that something is in the way of a deletion. Default, for tests: never. */
  readonly warnAfterMs?: number;
}

/** Moves one add-on in one cluster one step closer to its spec. Safe to interrupt and repeat. */
export class AddOnInstallationReconciler extends Reconciler {
  override readonly name = ADD_ON_INSTALLATION_RECONCILER;

  constructor(
    private readonly installations: TypedClient<AddOnInstallation>,
    private readonly phases: AddOnInstallationPhases,
    private readonly events: EventRecorder = new SilentEventRecorder(),
    private readonly clocks: AddOnInstallationClocks = {},
  ) {
    super();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.installations.find(key.name, key.namespace);
    if (!found) return gone; // A finalizer would have kept it.
    if (found.metadata.deletionTimestamp) return this.tearDown(found, context);

    // Claimed before the first side effect, or a delete that races with this pass could leak what it creates.
    const installation = await ensureFinalizer(this.installations, found, ADD_ON_INSTALLATION_FINALIZER);
    return this.run(this.phases.bringUp, openScope(installation), context);
  }

  private async tearDown(installation: AddOnInstallation, context: ReconcileContext): Promise<Outcome> {
    const scope = openScope(installation);
    const outcome = await this.run(this.phases.tearDown, scope, context);
    if (outcome.kind === 'settled') {
      await removeFinalizer(this.installations, installation, ADD_ON_INSTALLATION_FINALIZER);
      this.events.record(installation, (scope.isGivenUp ? removalGivenUp : addOnRemoved)(installation));
    }
    return outcome;
  }

  private async run(
    phases: readonly Phase<AddOnInstallationScope>[],
    scope: AddOnInstallationScope,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { installation } = scope;
    const now = await clockFor(installation, this.clocks);
    const pass = await runPhases(phases, scope, context);
    if (!pass.ok && isNoNews(pass.error, context.attempts)) throw pass.error;
    if (!pass.ok) scope.blockers = silenceAfter(pass.error, scope, context);

    // Written once, whatever happened, so that people see failures too.
    const { traceId } = context;
    const { warnAfterMs = Infinity } = this.clocks;
    const status = addOnInstallationStatus(scope, pass, { now: now(), traceId, warnAfterMs });
    const after = await saveStatusIfChanged(this.installations, scope.installation, status);
    recordPass(this.events, ADD_ON_TELLINGS, { before: installation, after, pass, traceId });
    const isAlone = installation.metadata.annotations?.[CLUSTER_DELETION_ANNOTATION] === undefined;
    recordDeletion(this.events, { before: installation, after, traceId, isAlone });
    if (!pass.ok) throw pass.error;
    return pass.outcome;
  }
}
