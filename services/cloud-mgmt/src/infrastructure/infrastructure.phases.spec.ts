import { randomUUID } from 'node:crypto';
import {
  conditionFalse,
  conditionTrue,
  findCondition,
  mergeConditions,
  type CloudAccount,
  type ConditionFact,
} from '@crate/api';
import { unavailable } from '@crate/errors';
import type { OwnedResource } from '@crate/infra-aws';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, StandingReviews, type WhenUnavailable } from '@crate/messaging';
import { DeletionWatch, runPhases, waiting, settled, type Pass } from '@crate/reconcile';
import { InMemoryLogger } from '@crate/telemetry';
import { TerraformSlots } from '@crate/terraform';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { CloudProviders } from '../provider/cloud-providers.js';
import { DeletionTargets } from '../deletion/deletion-target.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { aContext, InMemoryCloud, NAMESPACE, ScriptedExecutor } from '../testing/in-memory-cloud.js';
import { InfrastructureClouds } from './infrastructure-cloud.js';
import { AwsInfrastructureStack } from './infrastructure-stack.js';
import { openScope, type InfrastructureScope } from './infrastructure.scope.js';
import { infrastructureStatus } from './infrastructure.status.js';
import { StandingPlanPhase } from '../policy/standing-plan.phase.js';
import { AccountPhase, accountReadyPhase } from './phases/account.phase.js';
import { DestroyPhase } from './phases/destroy.phase.js';
import { ForgetPhase } from './phases/forget.phase.js';
import { StackPhase } from './phases/stack.phase.js';
import { TerraformPhase } from './phases/terraform.phase.js';
import { machinesRunPhase } from './stopped-machines.js';

const stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
let cloud: InMemoryCloud;
let executor: ScriptedExecutor;
let policies: ScriptedPolicyReviewer;
let whenUnavailable: { TerraformPlan?: WhenUnavailable };
let guarded: GuardedPolicyReviewer;
let slots: TerraformSlots;
let states: StateKeeper;
let clouds: InfrastructureClouds;

beforeEach(() => {
  cloud = new InMemoryCloud();
  executor = new ScriptedExecutor();
  policies = new ScriptedPolicyReviewer();
  whenUnavailable = {};
  guarded = new GuardedPolicyReviewer(policies, { whenUnavailable, logger: new InMemoryLogger() });
  slots = new TerraformSlots(1);
  states = new StateKeeper(cloud.secrets);
  clouds = new InfrastructureClouds(new CloudProviders({ 'sandbox-aws': cloud.provider }), cloud.credentials);
});

async function accountThatIs(fact: ConditionFact | undefined): Promise<CloudAccount> {
  const account = await cloud.ensureAccount();
  const conditions = fact ? mergeConditions([], [fact], { generation: 1, now: new Date(0) }) : undefined;
  return { ...account, status: { ...(conditions ? { conditions } : {}) } };
}

/** A scope as far as the stack phase brings it. */
async function aScope(): Promise<InfrastructureScope> {
  const account = await accountThatIs(conditionTrue('Ready', 'Ready'));
  const scope = openScope(await cloud.ensureInfrastructure());
  scope.account = account;
  await new StackPhase(stack, states, cloud.runs).run(scope);
  return scope;
}

async function record(uid: string, state: 'succeeded' | 'failed'): Promise<void> {
  const id = randomUUID();
  await cloud.runs.open({ id, infrastructureUid: uid, kind: 'apply', epoch: 1n, generation: 1 });
  await cloud.runs.close(id, state);
}

async function storeState(uid: string, resources: readonly unknown[]): Promise<void> {
  const state = { version: 4, serial: 1, lineage: 'a', outputs: {}, resources };
  await cloud.secrets.put(uid, 'terraform-state', Buffer.from(JSON.stringify(state)));
}

function compliance(scope: InfrastructureScope, pass: Pass = { ok: true, outcome: settled }): string {
  const context = { now: new Date(0), traceId: 'trace', warnAfterMs: 1 };
  const found = findCondition(infrastructureStatus(scope, pass, context).conditions, 'PolicyCompliant');
  return `${found?.status} ${found?.reason}`;
}

const aMachine = (name: string, instance_state: string): unknown => ({
  ...{ mode: 'managed', type: 'aws_instance', name },
  instances: [{ attributes: { id: `i-${name}`, instance_state } }],
});
const aVpc = { mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] };

describe('AccountPhase', () => {
  it('finds the account', async () => {
    await cloud.ensureAccount();
    const scope = openScope(await cloud.ensureInfrastructure());

    expect(await new AccountPhase(cloud.accounts).run(scope)).toEqual(settled);
    expect(scope.account?.metadata.name).toBe('sandbox');
  });

  it('waits for one that does not exist, and says what to do', async () => {
    const scope = openScope(await cloud.ensureInfrastructure());

    expect(await new AccountPhase(cloud.accounts).run(scope)).toMatchObject({ reason: 'CloudAccountNotFound' });
    expect(scope.failure).toMatchObject({ code: 'CloudAccountNotFound', field: 'spec.accountRef.name' });
  });
});

describe('accountReadyPhase', () => {
  it.each([
    { name: 'is ready', fact: conditionTrue('Ready', 'Ready'), isApplied: false, waits: false, code: undefined },
    { name: 'was not checked yet', fact: undefined, isApplied: false, waits: true, code: undefined },
    {
      name: 'was rejected',
      fact: conditionFalse('Ready', 'CredentialsRejected', 'No'),
      isApplied: false,
      waits: true,
      code: 'CredentialsRejected',
    },
    {
      name: 'was rejected, but nothing is to be done',
      fact: conditionFalse('Ready', 'CredentialsRejected', 'No'),
      isApplied: true,
      waits: false,
      code: undefined,
    },
  ])('waits $waits when the account $name', async ({ fact, isApplied, waits, code }) => {
    const scope = openScope(await cloud.ensureInfrastructure());
    scope.account = await accountThatIs(fact);
    scope.isApplied = isApplied;

    expect((await accountReadyPhase(scope)).kind).toBe(waits ? 'waiting' : 'settled');
    expect(scope.failure?.code).toBe(code);
  });
});

describe('StackPhase', () => {
  it.each([
    { name: 'everything is in place', change: {}, run: 'succeeded', state: true, want: true },
    { name: 'the stack is another one', change: { appliedHash: 'other' }, run: 'succeeded', state: true, want: false },
    { name: 'nothing was ever published', change: { outputs: undefined }, run: 'succeeded', state: true, want: false },
    { name: 'the state is lost', change: {}, run: 'succeeded', state: false, want: false },
    { name: 'the store was set back', change: { stateSerial: 9 }, run: 'succeeded', state: true, want: false },
    { name: 'the last run failed half-way', change: {}, run: 'failed', state: true, want: false },
    { name: 'no run is known', change: {}, run: undefined, state: true, want: false },
    { name: 'the last run left a machine stopped', change: {}, run: 'succeeded', state: 'stopped', want: false },
  ] as const)('calls the stack applied: $want when $name', async ({ change, run, state, want }) => {
    const account = await cloud.ensureAccount();
    const infrastructure = await cloud.ensureInfrastructure();
    const { hash } = stack.synthesize(infrastructure, account);
    const outputs = { vpcId: 'v', apiHost: 'a', apiPort: 1, bastionHost: 'b', machines: [] };
    const scope = openScope({
      ...infrastructure,
      status: { appliedHash: hash, stateSerial: 1, outputs, ...change },
    });
    scope.account = account;
    const { uid } = infrastructure.metadata;
    if (run) await record(uid, run);
    if (state) await storeState(uid, [aMachine('a', state === 'stopped' ? state : 'running')]);
    await new StackPhase(stack, states, cloud.runs).run(scope);

    expect(scope.isApplied).toBe(want);
  });
});

describe('TerraformPhase', () => {
  const phase = (lookEveryMs = 10): TerraformPhase =>
    new TerraformPhase({
      executor,
      states,
      slots,
      clouds,
      stack,
      policies: guarded,
      deletions: new DeletionWatch(cloud.infrastructures, lookEveryMs),
    });

  it('does nothing when the stack is applied', async () => {
    const scope = await aScope();
    scope.isApplied = true;

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toEqual([]);
  });

  it('applies the stack under its epoch and publishes the outputs', async () => {
    const scope = await aScope();
    expect(await phase().run(scope, aContext({ epoch: 7n }))).toEqual(settled);

    expect(executor.tasks).toMatchObject([{ kind: 'apply', epoch: 7n, document: scope.stack?.document }]);
    expect(scope).toMatchObject({ isApplied: true, outputs: { vpcId: 'vpc-1', apiHost: 'api' } });
    expect(slots.running).toBe(0);
  });

  describe('when a machine is stopped, which Terraform leaves so', () => {
    const pass = (scope: InfrastructureScope): Promise<Pass> =>
      runPhases([phase().run, machinesRunPhase], scope, aContext());

    it('publishes all that was applied, and fails for the machine', async () => {
      const scope = await aScope();
      const approvedPlan = { name: 'grow', digest: 'abc' };
      scope.infrastructure.spec = { ...scope.infrastructure.spec, approvedPlan };
      executor.resources = [aMachine('a', 'running'), aMachine('b', 'stopped')];
      const ended = await pass(scope);

      const status = infrastructureStatus(scope, ended, { now: new Date(0), traceId: 'trace', warnAfterMs: 1 });
      expect(status).toMatchObject({
        observedGeneration: scope.infrastructure.metadata.generation,
        outputs: { vpcId: 'vpc-1' },
        appliedHash: scope.stack?.hash,
        approvedPlan: { ...approvedPlan, executedAt: expect.anything() },
        failure: { code: 'MachineStopped', message: 'Machine b (i-b) is stopped' },
      });
      expect(status.failure?.remedy).toContain('Start');
      expect(findCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'MachineStopped' });
    });

    it('is done once it runs', async () => {
      executor.resources = [aMachine('a', 'running'), aMachine('b', 'running')];
      expect(await pass(await aScope())).toEqual({ ok: true, outcome: settled });
    });
  });

  it('gives the slot back when Terraform fails', async () => {
    executor.failure = new Error('No');

    await expect(phase().run(await aScope(), aContext())).rejects.toThrow('No');
    expect(slots.running).toBe(0);
  });

  /** Applies only what the review lets through, as the real executor does. */
  function reviewing(noted: unknown[] = []): void {
    executor.onExecute = (task) => task.review({}, (verdict) => Promise.resolve(void noted.push(verdict)));
  }

  it.each([
    { name: 'the first of an Infrastructure', serial: undefined, want: 'CREATE' },
    { name: 'one over what there is', serial: 3, want: 'UPDATE' },
  ])('has a plan judged as what it is: $name', async ({ serial, want }) => {
    reviewing();
    const scope = await aScope();
    if (serial !== undefined) scope.stateSerial = serial;
    await phase().run(scope, aContext());
    expect(policies.requests).toMatchObject([
      { operation: want, remember: true, subject: { provider: 'sandbox-aws' } },
    ]);
  });

  it('applies nothing while nobody judges it, and says what it waits for', async () => {
    reviewing();
    policies.answer = unavailable('policy-mgmt is away');
    const scope = await aScope();
    const error: unknown = await phase()
      .run(scope, aContext())
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'Unavailable', details: { reason: 'PolicyUnavailable' } });
    expect(scope.isApplied).toBe(false);
    expect(compliance(scope, { ok: false, error })).toBe('Unknown PolicyUnavailable');
  });

  it('applies what nobody judges where that is set so, says so, and has it judged in the next pass', async () => {
    const standing = new StandingPlanPhase(
      new StandingReviews(guarded, { everyMs: 1_000, logger: new InMemoryLogger() }),
      states,
    );
    reviewing();
    whenUnavailable.TerraformPlan = 'allow';
    policies.answer = unavailable('policy-mgmt is away');
    const scope = await aScope();
    await storeState(scope.infrastructure.metadata.uid, [aVpc]);
    await phase().run(scope, aContext());
    await standing.run(scope, aContext());
    expect(scope.isApplied).toBe(true);
    expect(compliance(scope)).toBe('Unknown NotReviewed');

    policies.answer = { allowed: false, violations: [] };
    const next = await aScope();
    next.isApplied = true;
    await standing.run(next, aContext());
    expect(compliance(next)).toBe('False PolicyDenied');
  });

  it('lets no plan through that policy denies', async () => {
    const broken = {
      policy: 'p1',
      level: 'must',
      severity: 'high',
      effect: 'deny',
      title: 't',
      field: 'spec.x',
      message: 'm',
      remedy: 'r',
      references: [],
    } as const;
    policies.answer = { allowed: false, violations: [broken] };
    const refused: unknown[] = [];
    const noted: unknown[] = [];
    executor.onExecute = async (task) => {
      const note = (verdict: unknown): Promise<void> => Promise.resolve(void noted.push(verdict));
      await task.review({}, note).catch((error: unknown) => refused.push(error));
    };
    const scope = await aScope();
    await phase().run(scope, aContext());

    expect(refused).toMatchObject([
      { code: 'Forbidden', details: { reason: 'PolicyDenied', field: 'spec.x', remedy: 'r' } },
    ]);
    expect(noted).toEqual([policies.answer]);
    expect(scope.review?.allowed).toBe(false);
  });

  it('shows its place while it waits, and leaves the line when the object is to be deleted', async () => {
    await slots.acquire();
    const scope = await aScope();
    await cloud.infrastructures.merge('demo', NAMESPACE, { metadata: { finalizers: ['test/x'] } });
    const running = phase().run(scope, aContext());
    await eventually(() => expect(scope.progress?.message).toBe('Waiting for a Terraform slot, next in line'));
    await cloud.infrastructures.remove('demo', NAMESPACE);

    expect(await running).toEqual(waiting('DeletionRequested', 0));
    expect(executor.tasks).toEqual([]);
    expect(slots.waiting).toBe(0);
  });

  it('doubles no machine that a restored memory has forgotten, and takes over none that nobody asks for', async () => {
    const scope = openScope(await cloud.ensureInfrastructure());
    scope.account = await accountThatIs(conditionTrue('Ready', 'Ready'));
    await record(scope.infrastructure.metadata.uid, 'succeeded');
    const setBack = { findLast: () => Promise.resolve({ begunAt: new Date(), isOpen: true }) };
    await new StackPhase(stack, states, cloud.runs, setBack).run(scope);
    cloud.provider.owned = ['demo-workers-0', 'demo-workers-4'].map((name) => ({
      type: 'aws_instance',
      id: name,
      importId: name,
      tags: { Name: name },
    }));
    await phase().run(scope, aContext());

    expect(executor.tasks).toMatchObject([{ mustLook: true }]);
    expect((await executor.tasks[0]!.findLost(undefined)).adoptions).toEqual([
      { to: 'aws_instance.demo-workers-0', id: 'demo-workers-0' },
    ]);
  });

  it('finds what a lost run has made, also beyond the wanted number of machines', async () => {
    const scope = await aScope();
    const machine = (name: string, id: string): OwnedResource => ({
      type: 'aws_instance',
      id,
      importId: id,
      tags: { Name: name },
    });
    cloud.provider.owned = [
      machine('demo-workers-0', 'i-1'),
      machine('demo-workers-4', 'i-2'),
      machine('else-0', 'i-3'),
    ];
    await phase().run(scope, aContext());
    const lost = await executor.tasks[0]!.findLost(undefined);

    expect(lost.adoptions).toEqual([
      { to: 'aws_instance.demo-workers-0', id: 'i-1' },
      { to: 'aws_instance.demo-workers-4', id: 'i-2' },
    ]);
    expect(Object.keys((lost.document['resource'] as { aws_instance: object }).aws_instance)).toContain(
      'demo-workers-4',
    );
  });
});

describe('DestroyPhase', () => {
  const phase = (): DestroyPhase =>
    new DestroyPhase({
      targets: new DeletionTargets({
        ...{ accounts: cloud.accounts, states, runs: cloud.runs, clouds },
        recovery: { findLast: () => Promise.resolve(undefined) },
      }),
      executor,
      states,
      slots,
      stack,
      policies: guarded,
    });
  const orphan: OwnedResource = { type: 'aws_vpc', id: 'vpc-9', importId: 'vpc-9', tags: {} };

  it('asks nobody when nothing was ever created', async () => {
    const scope = openScope(await cloud.ensureInfrastructure());

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toEqual([]);
  });

  it('destroys, and is done when the listing is empty', async () => {
    await cloud.ensureAccount();
    const scope = openScope(await cloud.ensureInfrastructure());
    await record(scope.infrastructure.metadata.uid, 'succeeded');
    await storeState(scope.infrastructure.metadata.uid, [aVpc]);

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toMatchObject([{ kind: 'destroy' }]);
  });

  it.each([
    { name: 'rules forbid it', answer: { allowed: false, violations: [] }, want: 'False PolicyDenied', notes: 1 },
    { name: 'nobody answers', answer: unavailable('policy-mgmt is away'), want: 'Unknown NotReviewed', notes: 0 },
  ])('is not held up when $name: that was judged when it was asked for', async ({ answer, want, notes }) => {
    await cloud.ensureAccount();
    const scope = openScope(await cloud.ensureInfrastructure());
    await record(scope.infrastructure.metadata.uid, 'succeeded');
    await storeState(scope.infrastructure.metadata.uid, [aVpc]);
    const noted: unknown[] = [];
    executor.onExecute = (task) => task.review({}, (verdict) => Promise.resolve(void noted.push(verdict)));
    policies.answer = answer;

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(policies.requests).toMatchObject([{ stage: 'TerraformPlan', operation: 'DELETE' }]);
    expect(noted).toHaveLength(notes);
    expect(compliance(scope)).toBe(want);
  });

  it('does not run again once everything is gone', async () => {
    await cloud.ensureAccount();
    const scope = openScope(await cloud.ensureInfrastructure());
    await record(scope.infrastructure.metadata.uid, 'succeeded');
    await storeState(scope.infrastructure.metadata.uid, []);

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toEqual([]);
  });

  it('goes on, and names it, while something of its own is left that no state knows', async () => {
    await cloud.ensureAccount();
    const scope = openScope(await cloud.ensureInfrastructure());
    await record(scope.infrastructure.metadata.uid, 'failed');
    cloud.provider.owned = [orphan];

    expect(await phase().run(scope, aContext())).toMatchObject({ kind: 'waiting', reason: 'WaitingForRemoval' });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-9', reason: 'StillListed' }]);
    expect(executor.tasks).toHaveLength(1);
  });

  it('says that it cannot remove anything without the account', async () => {
    const scope = openScope(await cloud.ensureInfrastructure());
    await storeState(scope.infrastructure.metadata.uid, [aVpc]);

    expect(await phase().run(scope, aContext())).toMatchObject({ reason: 'WaitingForRemoval' });
    expect(scope.blockers).toMatchObject([{ kind: 'CloudAccount', name: 'sandbox', reason: 'CloudAccountNotFound' }]);
  });
});

describe('ForgetPhase', () => {
  it('removes the state last', async () => {
    const scope = openScope(await cloud.ensureInfrastructure());
    const { uid } = scope.infrastructure.metadata;
    await storeState(uid, []);
    await new ForgetPhase(executor, cloud.secrets, clouds).run(scope);

    expect(executor.forgotten).toEqual([uid, `leftovers-${uid}`]);
    expect(await cloud.secrets.countOwners()).toBe(0);
  });
});
