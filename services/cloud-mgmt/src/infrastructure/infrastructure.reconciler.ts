import { isPaused, type Infrastructure } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  isNoNews,
  recordDeletion,
  recordPass,
  Reconciler,
  removeFinalizer,
  runPhases,
  SilentEventRecorder,
  StatusRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type Pass,
  type Phase,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { terraformFailureOf } from '@crate/terraform';
import { recordDrift } from '../drift/drift.events.js';
import { INFRASTRUCTURE_REMOVED, INFRASTRUCTURE_TELLINGS } from './infrastructure.events.js';
import type { InfrastructurePhases } from './infrastructure.phases.js';
import { openScope, type InfrastructureScope } from './infrastructure.scope.js';
import { infrastructureStatus } from './infrastructure.status.js';

/** Held from before the first cloud resource is made until the last one is proven gone. */
export const INFRASTRUCTURE_FINALIZER = 'cloud.crate.dev/infrastructures';
/** Name of the reconciler, and with it of its queue. */
export const INFRASTRUCTURE_RECONCILER = 'infrastructure';

export interface InfrastructureReconcilerParts {
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly phases: InfrastructurePhases;
  /** How long to wait before Terraform is tried again after a run of the pass `epoch` failed; undefined when none did. */
  readonly retryDelayMs: (infrastructureUid: string, epoch: bigint) => Promise<number | undefined>;
  readonly events?: EventRecorder;
  /** From when on it is worth a warning that something is in the way of a deletion. */
  readonly warnAfterMs?: number;
  readonly now?: () => Date;
}

/** Moves one Infrastructure one step closer to its spec. Safe to interrupt and repeat. */
export class InfrastructureReconciler extends Reconciler {
  override readonly name = INFRASTRUCTURE_RECONCILER;

  private readonly events: EventRecorder;

  constructor(private readonly parts: InfrastructureReconcilerParts) {
    super();
    this.events = parts.events ?? new SilentEventRecorder();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.parts.infrastructures.find(key.name, key.namespace);
    if (!found) return gone; // A finalizer would have kept it.
    if (found.metadata.deletionTimestamp) return this.tearDown(found, context);

    // Claimed before the first side effect, or a delete that races with this pass could leak what it creates.
    const infrastructure = await ensureFinalizer(this.parts.infrastructures, found, INFRASTRUCTURE_FINALIZER);
    const { bringUp, pause } = this.parts.phases;
    return this.run(isPaused(infrastructure) ? pause : bringUp, infrastructure, context);
  }

  private async tearDown(infrastructure: Infrastructure, context: ReconcileContext): Promise<Outcome> {
    const outcome = await this.run(this.parts.phases.tearDown, infrastructure, context);
    if (outcome.kind === 'settled') {
      await removeFinalizer(this.parts.infrastructures, infrastructure, INFRASTRUCTURE_FINALIZER);
      this.events.record(infrastructure, INFRASTRUCTURE_REMOVED);
    }
    return outcome;
  }

  private async run(
    phases: readonly Phase<InfrastructureScope>[],
    infrastructure: Infrastructure,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const recorder = new StatusRecorder(this.parts.infrastructures, infrastructure, context.signal);
    const statusOf = (pass: Pass): unknown =>
      infrastructureStatus(scope, pass, {
        now: this.parts.now?.() ?? new Date(),
        traceId: context.traceId,
        warnAfterMs: this.parts.warnAfterMs ?? Infinity,
      });
    const running: Pass = { ok: true, outcome: waiting('Provisioning', 0) };
    const scope = openScope(infrastructure, {
      // That everything is done is told at the end of the pass, together with what its last phases find out.
      report: () => recorder.report(() => (scope.isApplied ? undefined : statusOf(running))),
      persist: async () => void (await recorder.save(statusOf(running))),
    });

    const pass = await runPhases(phases, scope, context);
    if (!pass.ok && isNoNews(pass.error, context.attempts)) {
      recorder.discard();
      throw pass.error;
    }
    const after = await recorder.save(statusOf(pass));
    recordDrift(this.events, { before: infrastructure, after, drift: scope.drift, traceId: context.traceId });
    recordDeletion(this.events, { before: infrastructure, after, traceId: context.traceId });
    recordPass(this.events, INFRASTRUCTURE_TELLINGS, { before: infrastructure, after, pass, traceId: context.traceId });
    return pass.ok ? pass.outcome : this.retry(pass.error, infrastructure, context);
  }

  /** What is wrong at the provider is put right there, where nobody tells us, so the wait stays shorter than the engine's. */
  private async retry(error: unknown, { metadata }: Infrastructure, { epoch }: ReconcileContext): Promise<Outcome> {
    const failure = terraformFailureOf(error);
    const delayMs = failure?.retryable ? await this.parts.retryDelayMs(metadata.uid, epoch) : undefined;
    if (!failure || delayMs === undefined) throw error;
    return waiting(failure.code, Math.max(delayMs, failure.retryAfterMs ?? 0));
  }
}
