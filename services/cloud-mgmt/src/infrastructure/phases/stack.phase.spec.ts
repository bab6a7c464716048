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
    { name: 'the last run left a machine stopped', change: {}, run: 'succeeded', state: 'stopped', want: false },
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
    if (state) await bench.storeState(uid, [aMachine('a', state === 'stopped' ? state : 'running')]);
    await bench.look(scope);

    expect(scope.isApplied).toBe(want);
    expect(scope.isReleased).toBe(false);
    // What is to be run waits for its turn, and opens it anew.
    expect(scope.stored !== undefined).toBe(want);
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
