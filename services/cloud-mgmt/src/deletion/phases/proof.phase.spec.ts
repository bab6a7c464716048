import { KEEP_VOLUMES_ANNOTATION, KEPT_VOLUMES_ANNOTATION, REMOVE_VOLUMES_ANNOTATION } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeletionBench, theirs } from '../../testing/deletion-bench.js';
import { aContext } from '../../testing/in-memory-cloud.js';

const ACCOUNT_ID = expect.stringMatching(/^\d{12}$/) as unknown as string;

let bench: DeletionBench;
beforeEach(async () => {
  bench = await DeletionBench.start();
});

describe('proof', () => {
  it('is written down once, and told', async () => {
    expect(await bench.proofPhase().run(bench.scope(), aContext())).toEqual(settled);
    const { uid } = bench;
    expect((await bench.record())?.spec).toMatchObject({
      infrastructure: { name: 'demo', uid },
      account: { name: 'sandbox', id: ACCOUNT_ID },
      requestedAt: '2026-01-31T11:00:00Z',
      proof: {
        tag: `crate.dev/infrastructure-uid=${uid}`,
        inventoryEmptyAt: '2026-01-31T12:00:00Z',
        abandoned: [],
      },
    });
    expect(bench.events.reasons).toEqual(['Normal DeletionProven']);

    const revision = await bench.cloud.store.currentRevision();
    await bench.proofPhase().run(bench.scope(), aContext());
    expect(await bench.cloud.store.currentRevision()).toBe(revision);
    expect(bench.events.reasons).toHaveLength(1);
  });

  it('lists twice, with a pause as long as listings lag', async () => {
    const { provider } = bench.cloud;
    provider.lagMs = 40;
    provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    // The first time it is left out, by the tag of Crate as by that of the cluster.
    jest.spyOn(provider, 'listByTag').mockResolvedValueOnce([]).mockResolvedValueOnce([]);
    const started = performance.now();
    expect(await bench.proofPhase().run(bench.scope(), aContext())).toMatchObject({ kind: 'waiting' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(39);
  });

  it('does not rest on one empty listing, whatever the one before it showed', async () => {
    const { provider } = bench.cloud;
    provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    jest.spyOn(provider, 'listByTag').mockImplementation(() => {
      const { owned } = provider;
      // Gone from the next listing on.
      provider.owned = [];
      return Promise.resolve(owned);
    });

    expect(await bench.proofPhase().run(bench.scope(), aContext())).toMatchObject({ kind: 'waiting' });
    expect(await bench.record()).toBeUndefined();
    expect(await bench.proofPhase().run(bench.scope(), aContext())).toEqual(settled);
    expect(await bench.record()).toBeDefined();
  });

  it('is not there while anything is listed', async () => {
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    const scope = bench.scope();
    expect(await bench.proofPhase().run(scope, aContext())).toMatchObject({ kind: 'waiting' });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
    expect(scope.progress?.message).toBe('Waiting, see what is in the way');
    expect(await bench.record()).toBeUndefined();
  });

  it('says what was left behind instead, with who said so', async () => {
    bench.force();
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    expect(await bench.proofPhase().run(bench.scope(), aContext())).toEqual(settled);
    const record = await bench.record();
    expect(record?.spec.proof.inventoryEmptyAt).toBeUndefined();
    expect(record?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
    expect(record?.spec.forced).toEqual({ by: 'ada', reason: 'the account is closed', at: '2026-01-31T11:30:00Z' });
    expect(bench.events.reasons).toEqual(['Warning DeletionIncomplete']);
  });

  it('is not there for what nobody remembers to have made anything, while something carries its tag', async () => {
    await bench.cloud.runs.removeAll(bench.uid);
    bench.setBack = { begunAt: new Date(Date.now() + 3_600_000), isOpen: false };
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1')];
    const scope = bench.scope();
    const outcome = await bench.proofPhase().run(scope, aContext());
    expect(outcome).toMatchObject({ kind: 'waiting' });
    expect(scope.blockers).toMatchObject([{ kind: 'aws_vpc', name: 'vpc-1' }]);
  });
});

describe('proof of a cluster whose volumes nobody could ask it about', () => {
  const volume = {
    ...theirs('aws_ebs_volume', 'vol-1'),
    tags: { 'kubernetes.io/created-for/pvc/namespace': 'shop', 'kubernetes.io/created-for/pvc/name': 'data' },
  };
  const state = async (): Promise<[outcome: string, blockers: unknown, removed: readonly string[]]> => {
    const scope = bench.scope();
    await bench.leftoversPhase().run(scope, aContext());
    const { kind } = await bench.proofPhase().run(scope, aContext());
    return [kind, scope.blockers, bench.remover.removed];
  };
  beforeEach(() => {
    bench.cloud.provider.owned = [volume, theirs('aws_lb', 'lb-1')];
    // Nothing of it is Terraform's.
    const listOwned = (): Promise<readonly OwnedResource[]> => Promise.resolve([]);
    const { clouds } = bench;
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
    expect(await bench.record()).toBeUndefined();
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
    bench.infrastructure.metadata.annotations = annotations;
    expect(await state()).toEqual(['settled', [], isRemoved ? ['vol-1', 'lb-1'] : ['lb-1']]);
    const { proof } = (await bench.record())!.spec;
    expect(proof.inventoryEmptyAt).toBeDefined();
    expect(proof.keptVolumes).toEqual(isRemoved ? undefined : ['vol-1']);
  });

  it('does not try to remove one that a machine has, and names it when it is left behind', async () => {
    bench.infrastructure.metadata.annotations = { [KEPT_VOLUMES_ANNOTATION]: '' };
    bench.cloud.provider.owned = [{ ...volume, isAttached: true }];
    expect(await state()).toMatchObject(['waiting', [{ kind: 'aws_ebs_volume', name: 'vol-1' }], []]);
    bench.force();
    expect((await state())[0]).toBe('settled');
    expect(bench.remover.tried).toEqual([]);
    expect((await bench.record())?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_ebs_volume', name: 'vol-1' }]);
  });

  it('leaves it behind, to be watched, when somebody forced that', async () => {
    bench.force();
    expect((await state())[0]).toBe('settled');
    expect((await bench.record())?.spec.proof.abandoned).toMatchObject([{ kind: 'aws_ebs_volume', name: 'vol-1' }]);
  });
});
