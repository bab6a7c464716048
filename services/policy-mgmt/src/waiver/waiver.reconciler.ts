import type { Policy, PolicyWaiver } from '@crate/api';
import {
  gone,
  Reconciler,
  saveStatusIfChanged,
  settled,
  SilentEventRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { waiverEvents } from './waiver.events.js';
import { factsOf } from './waiver.facts.js';
import { waiverStatus } from './waiver.status.js';
import { nextMomentMs } from './waiver.times.js';

/** Rules come and go, and what a waiver covers with them. */
const LONGEST_WAIT_MS = 30 * 60_000;

export interface WaiverReconcilerPorts {
  readonly waivers: Pick<TypedClient<PolicyWaiver>, 'find' | 'saveStatus'>;
  readonly policies: Pick<TypedClient<Policy>, 'list'>;
  readonly noticesMs: readonly number[];
  readonly events?: EventRecorder;
}

/** Says on each waiver where it stands, and gives notice before it ends. Nothing else goes by that: each review looks at the clock itself. */
export class WaiverReconciler extends Reconciler {
  override readonly name = 'policy-waiver';

  constructor(
    private readonly ports: WaiverReconcilerPorts,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  override async reconcile({ name, namespace }: ReconcileKey, { traceId }: ReconcileContext): Promise<Outcome> {
    const { waivers, noticesMs, events = new SilentEventRecorder() } = this.ports;
    const found = await waivers.find(name, namespace);
    if (!found) return gone;
    const policies = await this.ports.policies.list();
    const status = waiverStatus(found, { policies, noticesMs, now: this.now() });
    const after = await saveStatusIfChanged(waivers, found, status);
    for (const draft of waiverEvents(found, after)) events.record(after, { ...draft, traceId });
    return this.next(found);
  }

  private next(waiver: PolicyWaiver): Outcome {
    const { expiresAtMs, revoked } = factsOf(waiver);
    const leftMs = revoked ? undefined : nextMomentMs(expiresAtMs, this.ports.noticesMs, this.now().getTime());
    return leftMs === undefined ? settled : waiting('WaitingForExpiry', Math.min(leftMs, LONGEST_WAIT_MS));
  }
}
