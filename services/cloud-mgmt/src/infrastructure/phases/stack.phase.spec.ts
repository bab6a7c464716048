import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KEPT_RUNS } from '../../terraform-run/terraform-run.repository.js';
import { aMachine, PhaseBench } from '../../testing/phase-bench.js';
import { OUTPUTS } from '../../testing/in-memory-cloud.js';
import { openScope } from '../infrastructure.scope.js';

let bench: PhaseBench;
beforeEach(() => {
  bench = new PhaseBench();
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
  ] as const)('calls the stack applied: $want when $name', async ({ change, run, state, want }) => {
    const account = await bench.cloud.ensureAccount();
    const infrastructure = await bench.cloud.ensureInfrastructure();
    const { hash } = bench.stack.synthesize(infrastructure, account);
    const outputs = { vpcId: 'v', apiHost: 'a', apiPort: 1, bastionHost: 'b', machines: [] };
    const scope = openScope({
      ...infrastructure,
      status: { appliedHash: hash, stateSerial: 1, outputs, ...change },
    });
    scope.account = account;
    const { uid } = infrastructure.metadata;
    if (run) await bench.recordRun(uid, run);
    if (state) await bench.storeState(uid, [aMachine('a', 'running')]);
    await bench.look(scope);

    expect(scope.isApplied).toBe(want);
    expect(scope.isReleased).toBe(false);
    // What is to be run waits for its turn, and opens it anew.
    expect(scope.stored !== undefined).toBe(want);
  });

  describe('what was applied in full', () => {
    type Run = Parameters<typeof bench.cloud.runs.open>[0] & { readonly state: 'succeeded' | 'failed'; isBegun?: true };
    const run = (state: Run['state'], generation = 1, isBegun?: true): Run => ({
      ...{ id: randomUUID(), infrastructureUid: '', kind: 'apply', epoch: 1n, generation, state },
      ...(isBegun ? { isBegun } : {}),
    });
    const applied = run('succeeded');

    async function look(runs: readonly (Run | 'edit')[], generation = 1, state = 'running', isFound = false) {
      const account = await bench.cloud.ensureAccount();
      const infrastructure = await bench.cloud.ensureInfrastructure();
      const { uid } = infrastructure.metadata;
      const { hash } = bench.stack.synthesize(infrastructure, account);
      const status = { observedGeneration: 1, appliedHash: hash, stateSerial: 1, outputs: OUTPUTS };
      const scope = openScope({ ...infrastructure, metadata: { ...infrastructure.metadata, generation }, status });
      for (const one of runs) await record(uid, one);
      const [last] = await bench.cloud.runs.list(uid);
      const findings = isFound ? [{ owner: { uid }, askedAfter: last?.id }] : [];
      scope.account = { ...account, status: { sweep: { findings } } } as never;
      await bench.storeState(uid, [aMachine('a', state)]);
      await bench.look(scope);
      return scope;
    }

    async function record(uid: string, one: Run | 'edit'): Promise<void> {
      const { runs } = bench.cloud;
      if (one === 'edit') return runs.recordEdit(uid, 1n);
      await runs.open({ ...one, infrastructureUid: uid });
      const summary = { add: 0, change: 1, remove: 0, import: 0 };
      if (one.isBegun) await runs.savePlan(one.id, { summary, hasBegun: true });
      await runs.close(one.id, one.state);
    }

    it('stays applied while a run looks for what a sweep has found, and nobody has asked for that run', async () => {
      expect(await look([applied], 1, 'running', true)).toMatchObject({
        ...{ isApplied: true, isUnasked: true, isRunDue: true, mustLook: true },
      });
    });

    it('stays applied while a run looks after a machine that is stopped, which is said', async () => {
      expect(await look([applied], 1, 'stopped')).toMatchObject({
        ...{ isApplied: true, isUnasked: true, isRunDue: true, stoppedMachines: ['a (i-a)'] },
      });
    });

    it('is left as it is where no run is due', async () => {
      expect(await look([applied])).toMatchObject({ isApplied: true, isRunDue: false, stoppedMachines: [] });
    });

    it.each([
      { name: 'was not let through', runs: [applied, run('failed')], isApplied: true, isUnasked: true },
      { name: 'broke off', runs: [applied, run('failed', 1, true)], isApplied: false, isUnasked: true },
      {
        name: 'broke off, before the policy alone was changed, and again after that',
        runs: [applied, run('failed', 1, true), run('failed', 2, true)],
        generation: 2,
        ...{ isApplied: false, isUnasked: true },
      },
      {
        name: 'broke off for another spec, which was taken back',
        runs: [applied, run('failed', 2, true)],
        generation: 3,
        ...{ isApplied: false, isUnasked: false },
      },
      {
        name: 'takes that back, and broke off as well',
        runs: [applied, run('failed', 2, true), run('failed', 3, true)],
        generation: 3,
        ...{ isApplied: false, isUnasked: false },
      },
      {
        name: 'has a state that a person put in place',
        runs: [applied, 'edit' as const],
        isApplied: false,
        isUnasked: false,
      },
    ])('is run for again after a run that $name: unasked $isUnasked', async (row) => {
      const { runs, generation, isApplied, isUnasked } = { generation: 1, ...row };
      const scope = await look(runs, generation);
      expect([scope.isApplied, scope.isUnasked, scope.isRunDue ?? false]).toEqual([isApplied, isUnasked, isApplied]);
    });
  });

  const GIVEN = { permissionsBoundary: 'arn:aws:iam::123456789012:policy/b' };
  it.each([
    { name: 'nobody asked for', change: {}, want: true },
    { name: 'an older release applied, which told no settings', change: { appliedSettings: undefined }, want: true },
    { name: 'a change of the spec asks for', change: { observedGeneration: 0 }, want: false },
    { name: 'the account asks for', change: {}, account: GIVEN, want: false },
    { name: 'an approved plan asks for', change: {}, approvedPlan: { name: 'a', digest: 'b' }, want: false },
    { name: 'was never applied', change: { outputs: undefined, appliedHash: undefined }, want: false },
  ])(
    'takes a stack that $name for the release alone: $want',
    async ({ change, want, account: asked, approvedPlan }) => {
      const account = await bench.cloud.ensureAccount();
      const infrastructure = await bench.cloud.ensureInfrastructure('demo', approvedPlan ? { approvedPlan } : {});
      const { uid, generation } = infrastructure.metadata;
      const appliedSettings = bench.stack.settingsHash(infrastructure, account);
      const known = { observedGeneration: generation, appliedSettings };
      const status = { ...known, appliedHash: 'older', stateSerial: 1, outputs: OUTPUTS, ...change };
      const scope = openScope({ ...infrastructure, status });
      scope.account = { ...account, spec: { ...account.spec, ...asked } };
      await bench.recordRun(uid, 'succeeded');
      await bench.storeState(uid, []);
      await bench.look(scope);

      expect(scope).toMatchObject({ isReleased: want, isApplied: want });
    },
  );

  it.each([
    { name: 'a run of it was not let through', refused: 1, state: 'running' },
    { name: 'so many runs of it were not let through that no more are kept', refused: KEPT_RUNS + 2, state: 'running' },
    { name: 'a machine stands still, which only a run would look at', refused: 0, state: 'stopped' },
  ])('keeps what was asked for applied beside a stack of the release, though $name', async ({ refused, state }) => {
    const account = await bench.cloud.ensureAccount();
    const infrastructure = await bench.cloud.ensureInfrastructure();
    const { uid, generation } = infrastructure.metadata;
    const status = { observedGeneration: generation, appliedHash: 'older', stateSerial: 1, outputs: OUTPUTS };
    const scope = openScope({ ...infrastructure, status });
    scope.account = account;
    await bench.recordRun(uid, 'succeeded');
    for (let count = 1; count <= refused; count += 1) await bench.recordRun(uid, 'failed');
    await bench.storeState(uid, [aMachine('a', state)]);
    await bench.look(scope);

    expect(scope).toMatchObject({ isReleased: true, isApplied: true });
  });
});
