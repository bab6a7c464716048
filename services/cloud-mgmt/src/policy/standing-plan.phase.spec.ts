import type { PolicyReviewResponse } from '@crate/api';
import { unavailable } from '@crate/errors';
import { ScriptedPolicyReviewer, StandingReviews } from '@crate/messaging';
import { settled } from '@crate/reconcile';
import { InMemoryLogger } from '@crate/telemetry';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { aContext, InMemoryCloud } from '../testing/in-memory-cloud.js';
import { StandingPlanPhase } from './standing-plan.phase.js';

const EVERY_MS = 1_000;
const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      ...{ policy: 'no-ssh', level: 'must', severity: 'high', effect: 'deny', title: 'No SSH', references: [] },
      ...{ field: 'spec.network', message: 'Lets SSH in', remedy: 'Close it' },
    },
  ],
};
const RESOURCE = { mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] };

let cloud: InMemoryCloud;
let policies: ScriptedPolicyReviewer;
let nowMs: number;
let phase: StandingPlanPhase;
beforeEach(() => {
  cloud = new InMemoryCloud();
  policies = new ScriptedPolicyReviewer();
  nowMs = 0;
  const options = { everyMs: EVERY_MS, logger: new InMemoryLogger(), now: () => nowMs };
  phase = new StandingPlanPhase(new StandingReviews(policies, options), new StateKeeper(cloud.secrets));
});

async function aScope(fields: Partial<InfrastructureScope> = {}): Promise<InfrastructureScope> {
  const account = await cloud.ensureAccount();
  const infrastructure = await cloud.ensureInfrastructure();
  const state = { version: 4, serial: 1, lineage: 'a', outputs: {}, resources: [RESOURCE] };
  await cloud.secrets.put(infrastructure.metadata.uid, 'terraform-state', Buffer.from(JSON.stringify(state)));
  return { ...openScope(infrastructure), account, isApplied: true, stateSerial: 1, ...fields };
}

async function pass(fields: Partial<InfrastructureScope> = {}): Promise<string | undefined> {
  const scope = await aScope(fields);
  expect(await phase.run(scope, aContext())).toEqual(settled);
  return scope.compliance && `${scope.compliance.status} ${scope.compliance.reason}`;
}

describe('StandingPlanPhase', () => {
  it('judges what is in the cloud, to be remembered, once in an interval', async () => {
    expect(await pass()).toBe('True Compliant');
    expect(policies.requests).toMatchObject([
      {
        stage: 'TerraformPlan',
        document: { resource_changes: [{ address: 'aws_vpc.vpc', change: { actions: ['no-op'] } }] },
        subject: { name: 'demo', provider: 'sandbox-aws' },
        remember: true,
      },
    ]);
    expect(policies.requests[0]).not.toHaveProperty('operation');
    nowMs += EVERY_MS - 1;
    expect(await pass()).toBeUndefined();
    nowMs += 1;
    expect(await pass()).toBe('True Compliant');
  });

  it('takes the state that the pass has opened, and opens it where a run has made another one', async () => {
    const find = jest.spyOn(cloud.secrets, 'find');
    const plain = Buffer.from('{"resources":[]}');
    expect(await pass({ stored: { serial: 1, plain, facts: undefined } })).toBe('True Compliant');
    expect(policies.requests).toMatchObject([{ document: { resource_changes: [] } }]);
    expect(find).not.toHaveBeenCalled();

    await pass({ stateSerial: 2 });
    expect(policies.requests[1]).toMatchObject({ document: { resource_changes: [{ address: 'aws_vpc.vpc' }] } });
  });

  it('judges another state at once', async () => {
    await pass();
    expect(await pass({ stateSerial: 2 })).toBe('True Compliant');
  });

  it('tells a rule that came later, and holds nothing up', async () => {
    await pass();
    policies.answer = DENIED;
    nowMs += EVERY_MS;
    expect(await pass()).toBe('False PolicyDenied');
  });

  it('waits for nobody who does not answer', async () => {
    policies.answer = unavailable('policy-mgmt is away');
    expect(await pass()).toBeUndefined();
    nowMs += 2 * EVERY_MS + 1;
    expect(await pass()).toBe('Unknown PolicyUnavailable');
  });

  it.each([
    { name: 'not applied', fields: { isApplied: false } },
    { name: 'not in the store', fields: { stateSerial: undefined as never } },
  ])('leaves what is $name to others', async ({ fields }) => {
    expect(await pass(fields)).toBeUndefined();
    expect(policies.calls).toBe(0);
  });
});
