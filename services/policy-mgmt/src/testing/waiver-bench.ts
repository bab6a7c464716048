import { POLICY, POLICY_WAIVER, type Policy, type PolicyWaiver, type PolicyWaiverSpec } from '@crate/api';
import { NAMED_DEMO } from '@crate/policy-engine';
import { InMemoryEventRecorder, type Outcome } from '@crate/reconcile';
import { TypedClient, type Caller, type CallContext, type WriteResult } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { waiverAdmission } from '../waiver/waiver.admission.js';
import { WaiverDecisions } from '../waiver/waiver.decisions.js';
import { servedWaivers } from '../waiver/waiver.parts.js';
import { WaiverReconciler } from '../waiver/waiver.reconciler.js';
import { waiverStatus } from '../waiver/waiver.status.js';

const DAY_MS = 86_400_000;
export const PROJECT = 'team-a';
const { signal } = new AbortController();

/** People as they come from the front door. */
export const ADA = person('ada');
export const GRACE = person('grace');
export const ROOT = person('root', 'platform-admin');
export const PIPELINE: Caller = { ...person('system:apikey:team-a:pipeline'), groups: ['system:apikeys:team-a'] };

function person(user: string, ...groups: readonly string[]): Caller {
  return { user, groups, service: 'lifecycle' };
}

/** Waivers and rules behind the real API with their hooks, in memory, with a clock that stands still. */
export class WaiverBench {
  now = new Date('2026-06-01T00:00:00Z');
  readonly noticesMs = [7 * DAY_MS, DAY_MS];
  readonly store = new InMemoryResourceStore();
  readonly events = new InMemoryEventRecorder();
  readonly api: LocalResourceApi;
  readonly rules: TypedClient<Policy>;
  /** As the service acts for itself. */
  readonly waivers: TypedClient<PolicyWaiver>;
  private readonly reconciler: WaiverReconciler;

  constructor() {
    const kinds = new KindRegistry([{ definition: POLICY }]);
    this.api = new LocalResourceApi({ store: this.store, kinds, clock: () => this.now });
    const own = contextOf({ user: 'system:policy-mgmt', groups: [], service: 'policy-mgmt' });
    this.rules = new TypedClient(this.api, POLICY, own);
    this.waivers = new TypedClient(this.api, POLICY_WAIVER, own);
    const { noticesMs, waivers, rules: policies, events } = this;
    const now = (): Date => this.now;
    const statusOf = (waiver: PolicyWaiver, all: readonly Policy[]): PolicyWaiver['status'] =>
      waiverStatus(waiver, { policies: all, noticesMs, now: this.now });
    const decisions = new WaiverDecisions({ waivers, policies, now, statusOf });
    kinds.add(servedWaivers(decisions, waiverAdmission({ policies, longestMs: 180 * DAY_MS, now })));
    this.reconciler = new WaiverReconciler({ waivers, policies, noticesMs, events }, now);
  }

  async rule(name: string, spec: Partial<Policy['spec']> = {}): Promise<void> {
    await this.rules.ensure({ metadata: { name }, spec: { ...NAMED_DEMO, ...spec } }, 'test');
  }

  /** As somebody asks for one. */
  async ask(caller: Caller, spec: Partial<PolicyWaiverSpec> = {}, metadata: object = {}): Promise<WriteResult> {
    const { group, version, kind } = POLICY_WAIVER;
    const document = { metadata: { name: 'w', namespace: PROJECT, ...metadata }, spec: { ...SPEC, ...spec } };
    const object = { apiVersion: `${group}/${version}`, kind, ...document };
    return this.api.create(this.waivers.type, object, {}, contextOf(caller));
  }

  as(caller: Caller): TypedClient<PolicyWaiver> {
    return this.waivers.withContext(contextOf(caller));
  }

  async decide(caller: Caller, what: 'approve' | 'revoke', write: object = {}): Promise<PolicyWaiver> {
    const ref = { ...this.waivers.type, namespace: PROJECT, name: 'w' };
    const request = { verb: 'create' as const, body: {}, ...write };
    return (await this.api.writeSubresource(ref, what, request, contextOf(caller))) as PolicyWaiver;
  }

  async stored(): Promise<PolicyWaiver> {
    return (await this.waivers.find('w', PROJECT)) as PolicyWaiver;
  }

  reconcile(): Promise<Outcome> {
    return this.reconciler.reconcile(
      { namespace: PROJECT, name: 'w' },
      { signal, remoteSignal: signal, epoch: 1n, traceId: 'trace' },
    );
  }

  /** Lets time go by. */
  wait(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }
}

export const SPEC: PolicyWaiverSpec = {
  policies: ['rule-a'],
  reason: 'Load tests are thrown away',
  expiresAt: '2026-07-01T00:00:00Z',
};

function contextOf(caller: Caller): CallContext {
  return { caller, traceId: 'trace' };
}
