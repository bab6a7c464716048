import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  KEEP_VOLUMES_ANNOTATION,
  KEPT_VOLUMES_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
  type DeletionRecord,
  type Infrastructure,
} from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { ScriptedPolicyReviewer } from '@crate/messaging';
import { InMemoryEventRecorder, settled } from '@crate/reconcile';
import { KeyRing } from '@crate/secrets';
import type { LastSetBack } from '@crate/service-host';
import { TerraformError, TerraformSlots } from '@crate/terraform';
import { randomUUID } from 'node:crypto';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { AwsInfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { DestroyPhase } from '../infrastructure/phases/destroy.phase.js';
import { CloudProviders } from '../provider/cloud-providers.js';
import { LockView } from '../terraform-state/lock-view.js';
import { StatePhase } from '../terraform-state/phases/state.phase.js';
import { credentialsRejected, permissionMissing } from '../provider/credentials-rejected.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { aContext, InMemoryCloud, NAMESPACE, ScriptedExecutor } from '../testing/in-memory-cloud.js';
import { DeletionRecords, deletionRecordName } from './deletion-records.js';
import { DeletionTargets } from './deletion-target.js';
import { LeftoverRemover, type LeftoverTask } from './leftover-remover.js';
import { LeftoversPhase } from './phases/leftovers.phase.js';
import { ProofPhase } from './phases/proof.phase.js';

const ACCOUNT_ID = expect.stringMatching(/^\d{12}$/) as unknown as string;
const NOW = new Date('2026-01-31T12:00:00Z');

/** Removes what it is told to, at once, unless it is told to fail. */
class ScriptedRemover extends LeftoverRemover {
  readonly removed: string[] = [];
  failure: Error | undefined;
  isWithoutEffect = false;

  override remove({ leftovers }: LeftoverTask): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    for (const { id } of leftovers) this.removed.push(id);
    if (!this.isWithoutEffect)
      cloud.provider.owned = cloud.provider.owned.filter(({ id }) => !this.removed.includes(id));
    return Promise.resolve();
  }
}

let cloud: InMemoryCloud;
let executor: ScriptedExecutor;
let remover: ScriptedRemover;
let clouds: InfrastructureClouds;
let targets: DeletionTargets;
let setBack: LastSetBack | undefined;
let states: StateKeeper;
let events: InMemoryEventRecorder;
let infrastructure: Infrastructure;
beforeEach(async () => {
  cloud = new InMemoryCloud();
  executor = new ScriptedExecutor();
  remover = new ScriptedRemover();
  states = new StateKeeper(cloud.secrets);
  events = new InMemoryEventRecorder();
  clouds = new InfrastructureClouds(new CloudProviders({ 'sandbox-aws': cloud.provider }), cloud.credentials);
  setBack = undefined;
  const recovery = { findLast: () => Promise.resolve(setBack) };
  targets = new DeletionTargets({ accounts: cloud.accounts, states, runs: cloud.runs, clouds, recovery });
  await cloud.ensureAccount();
  infrastructure = await cloud.ensureInfrastructure();
  infrastructure.metadata.deletionTimestamp = '2026-01-31T11:00:00Z';
  const id = randomUUID();
  await cloud.runs.open({
    id,
    infrastructureUid: infrastructure.metadata.uid,
    kind: 'apply',
    epoch: 1n,
    generation: 1,
  });
  await cloud.runs.close(id, 'succeeded');
});

const ours = (type: string, id: string): OwnedResource => ({
  ...{ type, id, importId: id },
  tags: { [OWNER_TAGS.infrastructureUid]: infrastructure.metadata.uid },
});
const theirs = (type: string, id: string): OwnedResource => ({ type, id, importId: id, tags: {} });

function force(): void {
  infrastructure.metadata.annotations = {
    ...infrastructure.metadata.annotations,
    [FORCE_ANNOTATION]: 'the account is closed',
    [FORCED_ANNOTATION]: '2026-01-31T11:30:00Z ada',
  };
}

function inUse(): TerraformError {
  return new TerraformError({
    code: 'StillInUse',
    message: "DependencyViolation: The vpc 'vpc-0123456789abcdef0' has dependencies and cannot be deleted",
    address: undefined,
    providerCode: 'DependencyViolation',
    remedy: 'Remove what still uses the resource',
    retryable: true,
  });
}

describe('what the cluster left', () => {
  const run = async (scope = openScope(infrastructure)): Promise<InfrastructureScope> => {
    outcome = await new LeftoversPhase(targets, remover).run(scope, aContext());
    return scope;
  };
  let outcome: unknown;

  it('is removed, without what is Terraform’s and what is kept on purpose', async () => {
    infrastructure.metadata.annotations = { [KEPT_VOLUMES_ANNOTATION]: 'vol-kept' };
    const leftovers = [theirs('aws_lb', 'lb-1'), theirs('aws_ebs_volume', 'vol-1')];
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1'), theirs('aws_ebs_volume', 'vol-kept'), ...leftovers];
    await run();
    expect(outcome).toEqual(settled);
    expect(remover.removed).toEqual(['lb-1', 'vol-1']);
  });

  it('is waited for, by its provider id, while it is listed still', async () => {
    cloud.provider.owned = [theirs('aws_lb', 'lb-1'), theirs('ec2/vpc-endpoint', 'vpce-1')];
    remover.isWithoutEffect = true;
    const { blockers, abandoned } = await run();
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'WaitingForRemoval' });
    expect(blockers.map(({ kind, name, reason }) => [kind, name, reason])).toEqual([
      ['aws_lb', 'lb-1', 'LeftByTheCluster'],
      ['ec2/vpc-endpoint', 'vpce-1', 'LeftByTheCluster'],
    ]);
    expect(remover.removed).toEqual(['lb-1']);
    expect(abandoned).toEqual([]);
  });

  it('is left behind, after it was tried, when somebody forced that', async () => {
    force();
    cloud.provider.owned = [theirs('aws_lb', 'lb-1')];
    remover.failure = inUse();
    const { abandoned } = await run();
    expect(outcome).toEqual(settled);
    expect(abandoned).toEqual([{ kind: 'aws_lb', name: 'lb-1', account: ACCOUNT_ID, region: 'us-east-1' }]);
  });

  it('is nobody’s business before anything was created', async () => {
    await cloud.runs.removeAll(infrastructure.metadata.uid);
    cloud.provider.owned = [theirs('aws_lb', 'lb-1')];
    await run();
    expect(outcome).toEqual(settled);
    expect(remover.removed).toEqual([]);
  });
});

describe('a destroy that does not get through', () => {
  const phase = (): DestroyPhase =>
    new DestroyPhase({
      ...{ targets, executor, states, slots: new TerraformSlots(1), policies: new ScriptedPolicyReviewer() },
      stack: new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1'),
    });

  it('names what could not be removed by its provider id, and fails as before', async () => {
    cloud.provider.owned = [ours('aws_vpc', 'vpc-0123456789abcdef0')];
    executor.failure = inUse();
    const scope = openScope(infrastructure);
    await expect(phase().run(scope, aContext())).rejects.toBe(executor.failure);
    expect(scope.blockers).toMatchObject([{ name: 'vpc-0123456789abcdef0', reason: 'StillInUse' }]);
    expect(scope.abandoned).toEqual([]);
  });

  it('names what somebody else has in the network that cannot be removed', async () => {
    const resources = [{ mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] }];
    const state = { version: 4, serial: 1, lineage: 'a', outputs: {}, resources };
    await cloud.secrets.put(infrastructure.metadata.uid, 'terraform-state', Buffer.from(JSON.stringify(state)));
    cloud.provider.inNetwork = [ours('aws_subnet', 'subnet-1'), theirs('aws_network_interface', 'eni-1')];
    executor.failure = inUse();
    const scope = openScope(infrastructure);
    await expect(phase().run(scope, aContext())).rejects.toThrow();
    expect(scope.blockers.map(({ kind, name, reason }) => [kind, name, reason])).toEqual([
      [expect.anything(), expect.anything(), 'StillInUse'],
      ['aws_network_interface', 'eni-1', 'ForeignResource'],
    ]);
  });

  it('leaves behind what is listed still when somebody forced that, after it was tried', async () => {
    force();
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1'), ours('aws_subnet', 'subnet-1')];
    executor.failure = inUse();
    const scope = openScope(infrastructure);
    expect(await phase().run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toHaveLength(1);
    expect(scope.abandoned.map(({ name }) => name)).toEqual(['vpc-1', 'subnet-1']);
  });

  it('is not tried where nobody can read the state and somebody forced that: what is listed is left behind', async () => {
    force();
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1')];
    const withoutKey = (): Promise<undefined> => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
    jest.spyOn(cloud.secrets, 'find').mockImplementation(withoutKey);
    const scope = openScope(infrastructure);
    const { locks } = cloud.runs;
    const view = new LockView({ locks, runs: cloud.runs, silentAfterMs: 142_000 });
    const records = { isWritten: () => Promise.resolve(false) };
    const state = new StatePhase({ states, locks, view, records, events });
    for (const step of [state, phase()]) expect(await step.run(scope, aContext())).toEqual(settled);
    expect(executor.tasks).toEqual([]);
    expect(scope.abandoned.map(({ name }) => name)).toEqual(['vpc-1']);
  });

  it('is not taken for a reason to give up when it is the provider that does not answer', async () => {
    force();
    cloud.provider.failure = new Error('no answer');
    await expect(phase().run(openScope(infrastructure), aContext())).rejects.toThrow('no answer');
  });
});

describe('what nobody remembers to have made anything', () => {
  const LATER = new Date(Date.now() + 3_600_000);
  const kind = async (): Promise<string> => (await targets.of(infrastructure)).kind;
  beforeEach(() => cloud.runs.removeAll(infrastructure.metadata.uid));

  it('has nothing to remove', async () => {
    expect(await kind()).toBe('untouched');
  });

  it.each([true, false])(
    'is looked at where the memory is older than the world, confirmed or not: open %s',
    async (isOpen) => {
      setBack = { begunAt: LATER, isOpen };
      expect(await kind()).toBe('accessible');
      infrastructure.spec = { ...infrastructure.spec, accountRef: { name: 'gone' } };
      expect(await kind()).toBe('inaccessible');
    },
  );

  it('has nothing to remove where it was asked for since', async () => {
    setBack = { begunAt: new Date(0), isOpen: false };
    expect(await kind()).toBe('untouched');
  });

  it('does not settle while anything carries its tag', async () => {
    setBack = { begunAt: LATER, isOpen: false };
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1')];
    const records = new DeletionRecords({ records: cloud.records, events });
    const scope = openScope(infrastructure);
    const outcome = await new ProofPhase({ targets, records }).run(scope, aContext());
    expect(outcome).toMatchObject({ kind: 'waiting' });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
  });
});

describe('proof', () => {
  const phase = (): ProofPhase =>
    new ProofPhase({
      targets,
      records: new DeletionRecords({ records: cloud.records, events, now: () => NOW }),
      now: () => NOW,
    });
  const find = (): Promise<DeletionRecord | undefined> =>
    cloud.records.find(deletionRecordName(infrastructure), NAMESPACE);

  it('is written down once, and told', async () => {
    expect(await phase().run(openScope(infrastructure), aContext())).toEqual(settled);
    const { uid } = infrastructure.metadata;
    expect((await find())?.spec).toMatchObject({
      infrastructure: { name: 'demo', uid },
      account: { name: 'sandbox', id: ACCOUNT_ID },
      requestedAt: '2026-01-31T11:00:00Z',
      proof: {
        tag: `crate.dev/infrastructure-uid=${uid}`,
        inventoryEmptyAt: '2026-01-31T12:00:00Z',
        abandoned: [],
      },
    });
    expect(events.reasons).toEqual(['Normal DeletionProven']);

    const revision = await cloud.store.currentRevision();
    await phase().run(openScope(infrastructure), aContext());
    expect(await cloud.store.currentRevision()).toBe(revision);
    expect(events.reasons).toHaveLength(1);
  });

  it('lists twice, with a pause as long as listings lag', async () => {
    cloud.provider.lagMs = 40;
    const started = performance.now();
    await phase().run(openScope(infrastructure), aContext());
    expect(performance.now() - started).toBeGreaterThanOrEqual(39);
  });

  describe('of a cluster whose volumes nobody could ask it about', () => {
    const volume = {
      ...theirs('aws_ebs_volume', 'vol-1'),
      tags: { 'kubernetes.io/created-for/pvc/namespace': 'shop', 'kubernetes.io/created-for/pvc/name': 'data' },
    };
    const state = async (): Promise<[outcome: string, blockers: unknown, removed: readonly string[]]> => {
      const scope = openScope(infrastructure);
      await new LeftoversPhase(targets, remover).run(scope, aContext());
      const { kind } = await phase().run(scope, aContext());
      return [kind, scope.blockers, remover.removed];
    };
    beforeEach(() => {
      cloud.provider.owned = [volume, theirs('aws_lb', 'lb-1')];
      // Nothing of it is Terraform's.
      const listOwned = (): Promise<readonly OwnedResource[]> => Promise.resolve([]);
      const { of } = clouds;
      jest.spyOn(clouds, 'of').mockImplementation((...args) => ({ ...of.apply(clouds, args), listOwned }));
    });

    it('destroys no volume that nobody has named, and says what to do; what is no volume goes', async () => {
      expect(await state()).toEqual([
        'waiting',
        [
          {
            ...{ kind: 'aws_ebs_volume', name: 'vol-1', reason: 'VolumeUndecided' },
            message:
              'The volume of claim shop/data may be one to keep: nobody could ask the cluster for its reclaim policy',
            remedy: expect.stringContaining('lifecycle.crate.dev/remove-volumes'),
          },
        ],
        ['lb-1'],
      ]);
      expect(await find()).toBeUndefined();
    });

    const decisions = [
      { name: 'was seen: none is to be kept', annotations: { [KEPT_VOLUMES_ANNOTATION]: '' }, isRemoved: true },
      { name: 'is named to go', annotations: { [REMOVE_VOLUMES_ANNOTATION]: 'vol-0, vol-1' }, isRemoved: true },
      { name: 'is named to stay', annotations: { [KEEP_VOLUMES_ANNOTATION]: 'vol-1' }, isRemoved: false },
      { name: 'has the policy Retain', annotations: { [KEPT_VOLUMES_ANNOTATION]: 'vol-1' }, isRemoved: false },
      {
        name: 'has the policy Retain, and is named to go',
        annotations: { [KEPT_VOLUMES_ANNOTATION]: 'vol-1', [REMOVE_VOLUMES_ANNOTATION]: 'vol-1' },
        isRemoved: true,
      },
    ];
    it.each(decisions)('comes to an end for one that $name', async ({ annotations, isRemoved }) => {
      infrastructure.metadata.annotations = annotations;
      expect(await state()).toEqual(['settled', [], isRemoved ? ['vol-1', 'lb-1'] : ['lb-1']]);
      const { proof } = (await find())!.spec;
      expect(proof.inventoryEmptyAt).toBeDefined();
      expect(proof.keptVolumes).toEqual(isRemoved ? undefined : ['vol-1']);
    });

    it('does not try to remove one that a machine has, and names it when it is left behind', async () => {
      infrastructure.metadata.annotations = { [KEPT_VOLUMES_ANNOTATION]: '' };
      cloud.provider.owned = [{ ...volume, isAttached: true }];
      expect(await state()).toMatchObject(['waiting', [{ kind: 'aws_ebs_volume', name: 'vol-1' }], []]);
      force();
      expect((await state())[0]).toBe('settled');
      expect(remover.removed).toEqual([]);
      expect((await find())?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_ebs_volume', name: 'vol-1' }]);
    });

    it('leaves it behind, to be watched, when somebody forced that', async () => {
      force();
      expect((await state())[0]).toBe('settled');
      expect((await find())?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_ebs_volume', name: 'vol-1' }]);
    });
  });

  it('is not there while anything is listed', async () => {
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1')];
    const scope = openScope(infrastructure);
    expect(await phase().run(scope, aContext())).toMatchObject({ kind: 'waiting' });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
    expect(scope.progress?.message).toBe('Waiting, see what is in the way');
    expect(await find()).toBeUndefined();
  });

  it('says what was left behind instead, with who said so', async () => {
    force();
    cloud.provider.owned = [ours('aws_vpc', 'vpc-1')];
    expect(await phase().run(openScope(infrastructure), aContext())).toEqual(settled);
    const record = await find();
    expect(record?.spec.proof.inventoryEmptyAt).toBeUndefined();
    expect(record?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
    expect(record?.spec.forced).toEqual({ by: 'ada', reason: 'the account is closed', at: '2026-01-31T11:30:00Z' });
    expect(events.reasons).toEqual(['Warning DeletionIncomplete']);
  });

  describe('of what nobody can look at', () => {
    const destroy = (): DestroyPhase =>
      new DestroyPhase({
        ...{ targets, executor, states, slots: new TerraformSlots(1), policies: new ScriptedPolicyReviewer() },
        stack: new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1'),
      });
    beforeEach(async () => {
      const state = {
        ...{ version: 4, serial: 1, lineage: 'a', outputs: {} },
        resources: [{ mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] }],
      };
      await cloud.secrets.put(infrastructure.metadata.uid, 'terraform-state', Buffer.from(JSON.stringify(state)));
    });

    it('names what the state knows when the account is gone', async () => {
      force();
      infrastructure.spec = { ...infrastructure.spec, accountRef: { name: 'gone' } };
      const scope = openScope(infrastructure);
      expect(await destroy().run(scope, aContext())).toEqual(settled);
      await phase().run(scope, aContext());
      expect((await find())?.spec.proof.abandoned).toEqual([{ kind: 'aws_vpc', name: 'vpc-1', region: 'us-east-1' }]);
    });

    it('names what the state knows when the provider refuses the credentials, as those of a closed account', async () => {
      force();
      cloud.provider.failure = executor.failure = credentialsRejected('AWS rejected the credentials: AuthFailure');
      const scope = openScope(infrastructure);
      const again = aContext({ attempts: 3 });
      expect(await new LeftoversPhase(targets, remover).run(scope, again)).toEqual(settled);
      expect(await destroy().run(scope, again)).toEqual(settled);
      expect(await phase().run(scope, again)).toEqual(settled);
      const { account, proof } = (await find())!.spec;
      expect(account).toEqual({ name: 'sandbox', id: ACCOUNT_ID });
      expect(proof.inventoryEmptyAt).toBeUndefined();
      const given = { account: ACCOUNT_ID, region: 'us-east-1' };
      expect(proof.abandoned).toEqual([{ kind: 'aws_vpc', name: 'vpc-1', ...given }]);
    });

    it.each([
      ['nobody forced it', () => undefined, credentialsRejected('refused'), 3],
      ['the provider does not answer', force, new Error('no answer'), 3],
      ['it may be that new credentials are not known everywhere', force, credentialsRejected('refused'), 2],
      ['the credentials lack a permission alone', force, permissionMissing('iam:ListRoleTags', 'AccessDenied'), 3],
    ])('gives up nothing while %s', async (_why, prepare, failure, attempts) => {
      prepare();
      cloud.provider.failure = executor.failure = failure;
      const scope = openScope(infrastructure);
      for (const one of [new LeftoversPhase(targets, remover), destroy(), phase()])
        await expect(one.run(scope, aContext({ attempts }))).rejects.toBe(failure);
      expect(scope.abandoned).toEqual([]);
      expect(await find()).toBeUndefined();
    });
  });
});
