import { conditionTrue, findCondition, isPaused, PAUSED_ANNOTATION } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { OwnedResource } from '@crate/infra-aws';
import { StandingReviews } from '@crate/messaging';
import { DeletionWatch, runPhases, settled, waiting, type Pass } from '@crate/reconcile';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newDriftRecord } from '../../drift/drift-record.js';
import type { DriftScope } from '../../drift/drift-scope.js';
import { StandingPlanPhase } from '../../policy/standing-plan.phase.js';
import { aContext, NAMESPACE, WaitingContext } from '../../testing/in-memory-cloud.js';
import { aMachine, aVpc, compliance, PhaseBench, statusAfter } from '../../testing/phase-bench.js';
import { openScope, type InfrastructureScope } from '../infrastructure.scope.js';
import { machinesRunPhase } from '../stopped-machines.js';
import { TerraformPhase } from './terraform.phase.js';

let bench: PhaseBench;
beforeEach(() => {
  bench = new PhaseBench();
});

describe('TerraformPhase', () => {
  function phase(): TerraformPhase {
    const { cloud, executor, states, slots, clouds, stack, guarded: policies } = bench;
    const deletions = new DeletionWatch(cloud.infrastructures, cloud.store);
    const turns = new DeletionWatch(cloud.infrastructures, cloud.store, isPaused);
    return new TerraformPhase({ executor, states, slots, clouds, stack, policies, deletions, turns });
  }

  it('does nothing when the stack is applied', async () => {
    const scope = await bench.aScope();
    scope.isApplied = true;

    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toEqual([]);
  });

  it('applies the stack under its epoch and publishes the outputs', async () => {
    const scope = await bench.aScope();
    expect(await phase().run(scope, aContext({ epoch: 7n }))).toEqual(settled);

    expect(bench.executor.tasks).toMatchObject([{ kind: 'apply', epoch: 7n, document: scope.stack?.document }]);
    expect(scope).toMatchObject({ isApplied: true, outputs: { vpcId: 'vpc-1', apiHost: 'api' } });
    expect(bench.slots.running).toBe(0);
  });

  it('leaves nobody the state from before the run', async () => {
    const scope = await bench.aScope();
    scope.stored = { serial: 1, plain: Buffer.from('{}'), facts: undefined };
    await phase().run(scope, aContext());

    expect(scope.stored).toBeUndefined();
  });

  describe('when a machine is stopped, which Terraform leaves so', () => {
    const pass = (scope: InfrastructureScope): Promise<Pass> =>
      runPhases([phase().run, machinesRunPhase], scope, aContext());

    it('publishes all that was applied, and fails for the machine', async () => {
      const scope = await bench.aScope();
      const approvedPlan = { name: 'grow', digest: 'abc' };
      scope.infrastructure.spec = { ...scope.infrastructure.spec, approvedPlan };
      bench.executor.resources = [aMachine('a', 'running'), aMachine('b', 'stopped')];
      const ended = await pass(scope);

      const status = statusAfter(scope, ended);
      expect(status).toMatchObject({
        observedGeneration: scope.infrastructure.metadata.generation,
        outputs: { vpcId: 'vpc-1' },
        appliedHash: scope.stack?.hash,
        approvedPlan: { ...approvedPlan, executedAt: expect.anything() },
        failure: { code: 'MachineStopped', message: 'Machine b (i-b) is stopped' },
      });
      expect(status.failure?.remedy).toContain('Start');
      expect(findCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'MachineStopped' });
      // Not of the plan, which was let through.
      expect(findCondition(status.conditions, 'Synced')).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    });

    it('is done once it runs', async () => {
      bench.executor.resources = [aMachine('a', 'running'), aMachine('b', 'running')];
      expect(await pass(await bench.aScope())).toEqual({ ok: true, outcome: settled });
    });
  });

  it('gives the slot back when Terraform fails', async () => {
    bench.executor.failure = new Error('No');

    await expect(phase().run(await bench.aScope(), aContext())).rejects.toThrow('No');
    expect(bench.slots.running).toBe(0);
  });

  /** Applies only what the review lets through, as the real executor does. */
  function reviewing(noted: unknown[] = []): void {
    bench.executor.onExecute = (task) => task.review({}, (verdict) => void noted.push(verdict));
  }

  it.each([
    { name: 'the first of an Infrastructure', serial: undefined, want: 'CREATE' },
    { name: 'one over what there is', serial: 3, want: 'UPDATE' },
  ])('has a plan judged as what it is: $name', async ({ serial, want }) => {
    reviewing();
    const scope = await bench.aScope();
    if (serial !== undefined) scope.stateSerial = serial;
    await phase().run(scope, aContext());
    expect(bench.policies.requests).toMatchObject([
      { operation: want, remember: true, subject: { provider: 'sandbox-aws' } },
    ]);
  });

  it('applies nothing while nobody judges it, and says what it waits for', async () => {
    reviewing();
    bench.policies.answer = unavailable('policy-mgmt is away');
    const scope = await bench.aScope();
    const error: unknown = await phase()
      .run(scope, aContext())
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'Unavailable', details: { reason: 'PolicyUnavailable' } });
    expect(scope.isApplied).toBe(false);
    expect(compliance(scope, { ok: false, error })).toBe('Unknown PolicyUnavailable');
  });

  it('applies what nobody judges where that is set so, says so, and has it judged in the next pass', async () => {
    const standing = new StandingPlanPhase(
      new StandingReviews(bench.guarded, { everyMs: 1_000, logger: new InMemoryLogger() }),
      bench.states,
    );
    reviewing();
    bench.whenUnavailable.TerraformPlan = 'allow';
    bench.policies.answer = unavailable('policy-mgmt is away');
    const scope = await bench.aScope();
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);
    await phase().run(scope, aContext());
    await standing.run(scope, aContext());
    expect(scope.isApplied).toBe(true);
    expect(compliance(scope)).toBe('Unknown NotReviewed');

    bench.policies.answer = { allowed: false, violations: [] };
    const next = await bench.aScope();
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
    bench.policies.answer = { allowed: false, violations: [broken] };
    const refused: unknown[] = [];
    const noted: unknown[] = [];
    bench.executor.onExecute = async (task) => {
      const note = (verdict: unknown): void => void noted.push(verdict);
      await task.review({}, note).catch((error: unknown) => refused.push(error));
    };
    const scope = await bench.aScope();
    await phase().run(scope, aContext());

    expect(refused).toMatchObject([
      { code: 'Forbidden', details: { reason: 'PolicyDenied', field: 'spec.x', remedy: 'r' } },
    ]);
    expect(noted).toEqual([bench.policies.answer]);
    expect(scope.review?.allowed).toBe(false);
  });

  it('applies nothing with an impact that only the release asks for', async () => {
    const change = { actions: ['update'], before: { name: 1 }, after: { name: 2 } };
    const resource_changes = [{ address: 'aws_vpc.vpc', type: 'aws_vpc', name: 'vpc', mode: 'managed', change }];
    bench.executor.onExecute = (task) => task.review({ resource_changes }, () => undefined);
    const scope = await bench.aScope();
    await phase().run(scope, aContext());
    scope.isApplied = false;
    scope.isReleased = true;
    await expect(phase().run(scope, aContext())).rejects.toMatchObject({ details: { reason: 'ReleaseHeld' } });
    expect(scope.isApplied).toBe(false);
  });

  describe('a run that nobody asked for', () => {
    const vpc = { address: 'aws_vpc.vpc', type: 'aws_vpc', name: 'vpc', mode: 'managed' };
    const change = { actions: ['update'], before: { name: 'theirs' }, after: { name: 'ours' } };
    const seen = { actions: ['update'], before: change.after, after: change.before };
    const putBack = { resource_changes: [{ ...vpc, change }], resource_drift: [{ ...vpc, change: seen }] };
    const replaced = { resource_changes: [{ ...vpc, change: { ...change, actions: ['delete', 'create'] } }] };

    /** As the phase before leaves it, where all that was asked for is applied. */
    async function unasked(plan: object, drift: Partial<DriftScope> = {}): Promise<InfrastructureScope> {
      bench.executor.onExecute = (task) => task.review({ ...plan }, () => undefined);
      const scope = await bench.aScope();
      scope.isUnasked = true;
      const record = newDriftRecord(new Date(0), undefined);
      scope.drift = { record, isOnHold: false, isApplying: true, isOnlyCorrecting: true, ...drift };
      return scope;
    }

    it.each([
      { name: 'puts back what is observed', plan: putBack, drift: {} },
      { name: 'by now replaces what the policy was to put back', plan: replaced, drift: { correction: 'policy' } },
    ] as const)('is not applied where it $name, and the cluster stays ready', async ({ plan, drift }) => {
      const scope = await unasked(plan, drift);
      expect(await phase().run(scope, aContext())).toEqual(settled);
      expect([scope.outputs, scope.drift?.isApplying]).toEqual([undefined, false]);
      expect(findCondition(statusAfter(scope).conditions, 'Ready')).toMatchObject({ status: 'True' });
      expect(bench.slots.running).toBe(0);
    });

    it('is not applied where a policy refuses it, which the cluster says, and stays ready', async () => {
      const scope = await unasked(putBack);
      bench.policies.answer = { allowed: false, violations: [] };
      expect(await phase().run(scope, aContext())).toEqual(settled);
      expect(findCondition(statusAfter(scope).conditions, 'Ready')).toMatchObject({ status: 'True' });
      expect(compliance(scope)).toBe('False PolicyDenied');
    });

    it('fails where a policy refuses what somebody has decided', async () => {
      const scope = await unasked(putBack, { correction: 'decided' });
      bench.policies.answer = { allowed: false, violations: [] };
      await expect(phase().run(scope, aContext())).rejects.toMatchObject({ details: { reason: 'PolicyDenied' } });
    });

    it('fails where something is half done, and says what to decide', async () => {
      const scope = await unasked(putBack);
      delete scope.drift?.isOnlyCorrecting;
      await expect(phase().run(scope, aContext())).rejects.toMatchObject({
        details: { reason: 'RunHeld', remedy: expect.stringContaining('crate drift correct') },
      });
      expect(scope.isApplied).toBe(false);
    });

    it('makes whole what it has taken over', async () => {
      const scope = await unasked({});
      const { aws_vpc: configured = {} } = scope.stack?.document['resource'] as Record<string, Record<string, object>>;
      const [[name, { tags }] = ['', { tags: {} }]] = Object.entries(configured) as [
        string,
        { tags: { Name: string } },
      ][];
      bench.cloud.provider.owned = [{ type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', tags }];
      const plan = { resource_changes: [{ ...vpc, address: `aws_vpc.${name}`, name, change }] };
      bench.executor.onExecute = async (task) => {
        await task.findLost(undefined);
        await task.review(plan, () => undefined);
      };
      await phase().run(scope, aContext());
      expect(scope.outputs).toBeDefined();
    });

    it('still says which machine is stopped, and leaves out what was started', async () => {
      const machine = { ...vpc, type: 'aws_instance', name: 'a' };
      const started = { before: { id: 'i-a' }, after: { instance_state: 'running' } };
      const scope = await unasked({
        ...putBack,
        resource_drift: [
          { ...vpc, change: seen },
          { ...machine, change: started },
        ],
      });
      scope.stoppedMachines = ['a (i-a)', 'b (i-b)'];
      const ended = await runPhases([phase().run, machinesRunPhase], scope, aContext());
      expect(statusAfter(scope, ended).failure).toMatchObject({ message: 'Machine b (i-b) is stopped' });
    });
  });

  it('shows its place while it waits, and leaves the line when the object is to be deleted', async () => {
    await bench.slots.acquire();
    const scope = await bench.aScope();
    await bench.cloud.infrastructures.merge('demo', NAMESPACE, { metadata: { finalizers: ['test/x'] } });
    const running = phase().run(scope, aContext());
    await eventually(() => expect(scope.progress?.message).toBe('Waiting for a Terraform slot, next in line'));
    await bench.cloud.infrastructures.remove('demo', NAMESPACE);

    expect(await running).toEqual(waiting('Overtaken', 0));
    expect(bench.executor.tasks).toEqual([]);
    expect(bench.slots.waiting).toBe(0);
  });

  it('has all its time once it has its turn, however long it waited for that', async () => {
    const release = await bench.slots.acquire();
    const waits = new WaitingContext();
    const during: boolean[] = [];
    bench.executor.onExecute = () => Promise.resolve(void during.push(waits.isInLine));
    const running = phase().run(await bench.aScope(), waits.context);
    await eventually(() => expect(bench.slots.waiting).toBe(1));
    expect(waits.isInLine).toBe(true);

    release();
    await running;
    expect(during).toEqual([false]);
  });

  it('is offered to other processes when it is far back in the line', async () => {
    bench.slots.acquireOrLeave = () => Promise.resolve(undefined);

    expect(await phase().run(await bench.aScope(), aContext())).toEqual(waiting('Queued', 15_000));
    expect(bench.executor.tasks).toEqual([]);
  });

  describe('when the cluster is paused after the pass began', () => {
    const annotations = { [PAUSED_ANNOTATION]: 'true' };
    const pause = (): Promise<unknown> =>
      bench.cloud.infrastructures.merge('demo', NAMESPACE, { metadata: { annotations } });

    it('leaves the line', async () => {
      await bench.slots.acquire();
      const scope = await bench.aScope();
      const running = phase().run(scope, aContext());
      await eventually(() => expect(bench.slots.waiting).toBe(1));
      await pause();

      expect(await running).toEqual(waiting('Overtaken', 0));
      expect([bench.executor.tasks, bench.slots.waiting]).toEqual([[], 0]);
    });

    it('begins no run, and gives the slot back', async () => {
      const scope = await bench.aScope();
      await pause();

      expect(await phase().run(scope, aContext())).toEqual(waiting('Overtaken', 0));
      expect([bench.executor.tasks, bench.slots.running]).toEqual([[], 0]);
    });

    it('lets a run that has begun come to its end', async () => {
      const scope = await bench.aScope();
      bench.executor.onExecute = async () => void (await pause());

      expect(await phase().run(scope, aContext())).toEqual(settled);
      expect(scope.isApplied).toBe(true);
    });
  });

  /** A run whose plan was not let through. */
  async function refused(infrastructureUid: string): Promise<void> {
    await bench.cloud.runs.open({ id: 'refused', infrastructureUid, kind: 'apply', epoch: 1n, generation: 1 });
    await bench.cloud.runs.close('refused', 'failed');
  }

  it.each([
    { what: 'after a success', isRefused: false, isOpen: true },
    { what: 'after a run that was not let through since', isRefused: true, isOpen: false },
  ])(
    'doubles no machine that a restored memory has forgotten, and takes over none that nobody asks for, $what',
    async ({ isRefused, isOpen }) => {
      const scope = openScope(await bench.cloud.ensureInfrastructure());
      scope.account = await bench.accountThatIs(conditionTrue('Ready', 'Ready'));
      const { uid } = scope.infrastructure.metadata;
      bench.setBack = { begunAt: new Date(0), isOpen };
      await bench.recordRun(uid, 'succeeded');
      if (isRefused) await refused(uid);
      await bench.look(scope);
      bench.cloud.provider.owned = ['demo-workers-0', 'demo-workers-4'].map((name) => ({
        type: 'aws_instance',
        id: name,
        importId: name,
        tags: { Name: name },
      }));
      await phase().run(scope, aContext());

      expect(bench.executor.tasks).toMatchObject([{ mustLook: true }]);
      expect((await bench.executor.tasks[0]!.findLost(undefined)).adoptions).toEqual([
        { to: 'aws_instance.demo-workers-0', id: 'demo-workers-0' },
      ]);
    },
  );

  it('finds what a lost run has made, also beyond the wanted number of machines', async () => {
    const scope = await bench.aScope();
    const machine = (name: string, id: string): OwnedResource => ({
      type: 'aws_instance',
      id,
      importId: id,
      tags: { Name: name },
    });
    bench.cloud.provider.owned = [
      machine('demo-workers-0', 'i-1'),
      machine('demo-workers-4', 'i-2'),
      machine('else-0', 'i-3'),
    ];
    await phase().run(scope, aContext());
    const lost = await bench.executor.tasks[0]!.findLost(undefined);

    expect(lost.adoptions).toEqual([
      { to: 'aws_instance.demo-workers-0', id: 'i-1' },
      { to: 'aws_instance.demo-workers-4', id: 'i-2' },
    ]);
    expect(Object.keys((lost.document['resource'] as { aws_instance: object }).aws_instance)).toContain(
      'demo-workers-4',
    );
  });
});
