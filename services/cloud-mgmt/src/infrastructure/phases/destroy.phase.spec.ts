import { unavailable } from '@crate/errors';
import type { OwnedResource } from '@crate/infra-aws';
import { settled, waiting } from '@crate/reconcile';
import { KeyRing } from '@crate/secrets';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LockView } from '../../terraform-state/lock-view.js';
import { StatePhase } from '../../terraform-state/phases/state.phase.js';
import { DeletionBench, inUse, theirs } from '../../testing/deletion-bench.js';
import { aContext, WaitingContext } from '../../testing/in-memory-cloud.js';
import { aVpc, compliance, PhaseBench } from '../../testing/phase-bench.js';
import { openScope, type InfrastructureScope } from '../infrastructure.scope.js';

describe('DestroyPhase', () => {
  const orphan: OwnedResource = { type: 'aws_vpc', id: 'vpc-9', importId: 'vpc-9', tags: {} };
  let bench: PhaseBench;
  beforeEach(() => {
    bench = new PhaseBench();
  });

  it('asks nobody when nothing was ever created', async () => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());

    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toEqual([]);
  });

  it('destroys, and is done when the listing is empty', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);

    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toMatchObject([{ kind: 'destroy' }]);
  });

  it('has all its time once it has its turn, however long it waited for that', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);
    const release = await bench.slots.acquire();
    const waits = new WaitingContext();
    const during: boolean[] = [];
    bench.executor.onExecute = () => Promise.resolve(void during.push(waits.isInLine));
    const running = bench.destroyPhase().run(scope, waits.context);
    await eventually(() => expect(bench.slots.waiting).toBe(1));
    expect(waits.isInLine).toBe(true);

    release();
    await running;
    expect(during).toEqual([false]);
  });

  it('is offered to other processes when it is far back in the line', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);
    bench.slots.acquireOrLeave = () => Promise.resolve(undefined);

    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(waiting('Queued', 15_000));
    expect(bench.executor.tasks).toEqual([]);
  });

  it.each([
    { name: 'rules forbid it', answer: { allowed: false, violations: [] }, want: 'False PolicyDenied', notes: 1 },
    { name: 'nobody answers', answer: unavailable('policy-mgmt is away'), want: 'Unknown NotReviewed', notes: 0 },
  ])('is not held up when $name: that was judged when it was asked for', async ({ answer, want, notes }) => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);
    const noted: unknown[] = [];
    bench.executor.onExecute = (task) => task.review({}, (verdict) => void noted.push(verdict));
    bench.policies.answer = answer;

    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    expect(bench.policies.requests).toMatchObject([{ stage: 'TerraformPlan', operation: 'DELETE' }]);
    expect(noted).toHaveLength(notes);
    expect(compliance(scope)).toBe(want);
  });

  it('does not run again once everything is gone', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    await bench.storeState(scope.infrastructure.metadata.uid, []);

    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toEqual([]);
  });

  it('goes on, and names it, while something of its own is left that no state knows', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'failed');
    bench.cloud.provider.owned = [orphan];

    expect(await bench.destroyPhase().run(scope, aContext())).toMatchObject({
      kind: 'waiting',
      reason: 'WaitingForRemoval',
    });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-9', reason: 'StillListed' }]);
    expect(bench.executor.tasks).toHaveLength(1);
  });

  it('waits without a run for what Terraform cannot take away: it would be one every few seconds', async () => {
    const notOfTheStack = { ...orphan, type: 'ec2/network-interface', id: 'eni-9' };
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.recordRun(scope.infrastructure.metadata.uid, 'succeeded');
    bench.cloud.provider.owned = [notOfTheStack];

    expect(await bench.destroyPhase().run(scope, aContext())).toMatchObject({ reason: 'WaitingForRemoval' });
    expect(scope.blockers).toMatchObject([{ name: 'eni-9', reason: 'StillListed' }]);
    expect(bench.executor.tasks).toEqual([]);
  });

  it('looks at what there is once earlier runs are over: a first one may still make what nothing tells of', async () => {
    await bench.cloud.ensureAccount();
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    const { uid: infrastructureUid } = scope.infrastructure.metadata;
    await bench.cloud.runs.open({ id: 'first', infrastructureUid, kind: 'apply', epoch: 1n, generation: 1 });
    bench.executor.onSettle = async () => {
      bench.cloud.provider.owned = [orphan];
      await bench.cloud.runs.close('first', 'interrupted');
    };

    expect(await bench.destroyPhase().run(scope, aContext())).toMatchObject({ reason: 'WaitingForRemoval' });
    expect(bench.executor.tasks).toMatchObject([{ kind: 'destroy' }]);
  });

  it('says that it cannot remove anything without the account', async () => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    await bench.storeState(scope.infrastructure.metadata.uid, [aVpc]);

    expect(await bench.destroyPhase().run(scope, aContext())).toMatchObject({ reason: 'WaitingForRemoval' });
    expect(scope.blockers).toMatchObject([{ kind: 'CloudAccount', name: 'sandbox', reason: 'CloudAccountNotFound' }]);
  });
});

describe('a destroy that does not get through', () => {
  let bench: DeletionBench;
  beforeEach(async () => {
    bench = await DeletionBench.start();
  });

  it('names what could not be removed by its provider id, and fails as before', async () => {
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-0123456789abcdef0')];
    bench.executor.failure = inUse();
    const scope = bench.scope();
    await expect(bench.destroyPhase().run(scope, aContext())).rejects.toBe(bench.executor.failure);
    expect(scope.blockers).toMatchObject([{ name: 'vpc-0123456789abcdef0', reason: 'StillInUse' }]);
    expect(scope.abandoned).toEqual([]);
  });

  it('names what somebody else has in the network that cannot be removed', async () => {
    await bench.storeState(bench.uid, [aVpc]);
    bench.cloud.provider.inNetwork = [bench.ours('aws_subnet', 'subnet-1'), theirs('aws_network_interface', 'eni-1')];
    bench.executor.failure = inUse();
    const scope = bench.scope();
    await expect(bench.destroyPhase().run(scope, aContext())).rejects.toThrow();
    expect(scope.blockers.map(({ kind, name, reason }) => [kind, name, reason])).toEqual([
      [expect.anything(), expect.anything(), 'StillInUse'],
      ['aws_network_interface', 'eni-1', 'ForeignResource'],
    ]);
  });

  it('does not take for somebody else’s what the cluster left in the network, which the next pass removes', async () => {
    await bench.storeState(bench.uid, [aVpc]);
    bench.cloud.provider.inNetwork = [bench.left('aws_security_group', 'sg-1'), theirs('aws_security_group', 'sg-2')];
    bench.executor.failure = inUse();
    const scope = bench.scope();
    await expect(bench.destroyPhase().run(scope, aContext())).rejects.toThrow();
    expect(scope.blockers.slice(1).map(({ name, reason }) => [name, reason])).toEqual([
      ['sg-1', 'LeftByTheCluster'],
      ['sg-2', 'ForeignResource'],
    ]);
  });

  it('leaves behind what is listed still when somebody forced that, after it was tried', async () => {
    bench.force();
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1'), bench.ours('aws_subnet', 'subnet-1')];
    bench.executor.failure = inUse();
    const scope = bench.scope();
    expect(await bench.destroyPhase().run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toHaveLength(1);
    expect(scope.abandoned.map(({ name }) => name)).toEqual(['vpc-1', 'subnet-1']);
  });

  it.each([
    { what: 'nothing', types: [] },
    { what: 'what Terraform cannot take away', types: ['ec2/network-interface'] },
  ])(
    'leaves nothing behind of a run of a moment ago, when somebody forced that and $what is listed',
    async (listed) => {
      bench.force();
      bench.cloud.provider.lagMs = 60_000;
      bench.cloud.provider.owned = listed.types.map((type) => bench.ours(type, 'id-1'));
      const { runs } = bench.cloud;
      await runs.open({ id: 'first', infrastructureUid: bench.uid, kind: 'apply', epoch: 1n, generation: 1 });
      const summary = { add: 3, change: 0, remove: 0, import: 0 };
      await runs.savePlan('first', { summary, hasBegun: true });
      await runs.close('first', 'interrupted');
      const scope = bench.scope();
      await expect(bench.destroyPhase().run(scope, aContext())).rejects.toMatchObject({
        details: { reason: 'WaitingForListing' },
      });
      expect(scope.abandoned).toEqual([]);
    },
  );

  describe('for a group that the cluster left, when somebody forced that', () => {
    const run = async (attempts: number, scope = bench.scope()): Promise<InfrastructureScope> => {
      await bench.destroyPhase().run(scope, aContext({ attempts }));
      return scope;
    };
    beforeEach(async () => {
      bench.force();
      await bench.storeState(bench.uid, [aVpc]);
      bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
      bench.cloud.provider.inNetwork = [bench.left('aws_security_group', 'sg-1')];
      bench.executor.failure = inUse();
    });

    it('gives the network another pass, in which the group goes first', async () => {
      const scope = bench.scope();
      await expect(run(0, scope)).rejects.toBe(bench.executor.failure);
      expect(scope.abandoned).toEqual([]);
    });

    it('leaves the network behind after some passes', async () => {
      expect((await run(3)).abandoned).toMatchObject([{ name: 'vpc-1' }]);
    });

    it('leaves the network behind where the group is left behind', async () => {
      const scope = bench.scope();
      scope.abandoned = [{ kind: 'aws_security_group', name: 'sg-1', region: 'us-east-1' }];
      expect((await run(0, scope)).abandoned).toMatchObject([{ name: 'sg-1' }, { name: 'vpc-1' }]);
    });
  });

  it('is not tried where nobody can read the state and somebody forced that: what is listed is left behind', async () => {
    bench.force();
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    const withoutKey = (): Promise<undefined> => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
    jest.spyOn(bench.cloud.secrets, 'find').mockImplementation(withoutKey);
    const scope = bench.scope();
    const { locks } = bench.cloud.runs;
    const view = new LockView({ locks, runs: bench.cloud.runs, silentAfterMs: 142_000 });
    const records = { isWritten: () => Promise.resolve(false) };
    const state = new StatePhase({ states: bench.states, locks, view, records, events: bench.events });
    for (const step of [state, bench.destroyPhase()]) expect(await step.run(scope, aContext())).toEqual(settled);
    expect(bench.executor.tasks).toEqual([]);
    expect(scope.abandoned.map(({ name }) => name)).toEqual(['vpc-1']);
  });

  it('is not taken for a reason to give up when it is the provider that does not answer', async () => {
    bench.force();
    bench.cloud.provider.failure = new Error('no answer');
    await expect(bench.destroyPhase().run(bench.scope(), aContext())).rejects.toThrow('no answer');
  });
});
