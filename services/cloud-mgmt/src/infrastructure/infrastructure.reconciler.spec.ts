import { findCondition, isConditionTrue, PAUSED_ANNOTATION, type Infrastructure } from '@crate/api';
import { conflict, PlatformError, unavailable } from '@crate/errors';
import { settled, waiting, type Phase } from '@crate/reconcile';
import { TerraformError, type TerraformFailureCode } from '@crate/terraform';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { INFRASTRUCTURE_FINALIZER, InfrastructureReconciler } from './infrastructure.reconciler.js';
import { reportProgress, type InfrastructureScope } from './infrastructure.scope.js';

const key = { namespace: NAMESPACE, name: 'demo' };
/** Time enough for a report to be written. */
const REPORTED_MS = 1_000;
/** The pass whose own run failed; none of any other did. */
const FAILED_RUN = 1n;
let cloud: InMemoryCloud;

beforeEach(() => {
  cloud = new InMemoryCloud();
});
afterEach(() => {
  jest.useRealTimers();
});

function reconcilerWith(
  bringUp: Phase<InfrastructureScope>,
  tearDown: Phase<InfrastructureScope> = bringUp,
  pause: Phase<InfrastructureScope> = bringUp,
): InfrastructureReconciler {
  return new InfrastructureReconciler({
    infrastructures: cloud.infrastructures,
    phases: { bringUp: [bringUp], pause: [pause], tearDown: [tearDown] },
    retryDelayMs: (_uid, epoch) => Promise.resolve(epoch === FAILED_RUN ? 1_234 : undefined),
  });
}

const find = (): Promise<Infrastructure | undefined> => cloud.infrastructures.find('demo', NAMESPACE);
const terraformFails = (
  retryable: boolean,
  code: TerraformFailureCode = retryable ? 'QuotaExceeded' : 'InvalidInput',
): TerraformError =>
  new TerraformError({
    code,
    message: 'No',
    address: undefined,
    providerCode: undefined,
    remedy: 'Ask',
    retryable,
  });

describe('InfrastructureReconciler', () => {
  it('has nothing to do for one that is gone', async () => {
    const outcome = await reconcilerWith(() => Promise.resolve(settled)).reconcile(key, aContext());

    expect(outcome).toMatchObject({ kind: 'settled', isGone: true });
  });

  it('holds the object before the first phase acts', async () => {
    await cloud.ensureInfrastructure();
    const seen: unknown[] = [];
    await reconcilerWith(async ({ infrastructure }) => {
      seen.push(infrastructure.metadata.finalizers, (await find())?.metadata.finalizers);
      return settled;
    }).reconcile(key, aContext());

    expect(seen).toEqual([[INFRASTRUCTURE_FINALIZER], [INFRASTRUCTURE_FINALIZER]]);
  });

  describe('when its cluster is paused', () => {
    const nothing: Phase<InfrastructureScope> = () => Promise.reject(new Error('Something was begun'));
    const standing = async (): Promise<readonly (string | undefined)[]> => {
      const { conditions, failure } = (await find())?.status ?? {};
      const told = ['Paused', 'Ready', 'Synced'].map((type) => findCondition(conditions, type));
      return [...told.map((condition) => `${condition?.status} ${condition?.reason}`), failure?.code];
    };
    const pause = async (isOn: boolean): Promise<void> => {
      const annotations = { [PAUSED_ANNOTATION]: isOn ? 'true' : null };
      await cloud.infrastructures.merge('demo', NAMESPACE, { metadata: { annotations } });
    };

    it('looks, and begins nothing, until it goes on with all that waited', async () => {
      await cloud.ensureInfrastructure();
      await pause(true);
      const look: Phase<InfrastructureScope> = () => Promise.resolve(waiting('NextDriftCheck', 7));
      expect(await reconcilerWith(nothing, nothing, look).reconcile(key, aContext())).toMatchObject({
        retryAfterMs: 7,
      });
      expect(await standing()).toEqual(['True Paused', 'False Paused', 'False Paused', undefined]);
      expect((await find())?.status?.observedGeneration).toBe(0);

      await pause(false);
      const apply: Phase<InfrastructureScope> = (scope) => Promise.resolve(((scope.isApplied = true), settled));
      await reconcilerWith(apply).reconcile(key, aContext());
      expect(await standing()).toEqual(['False NotPaused', 'True Ready', 'True ReconcileSuccess', undefined]);
    });

    it('goes on saying why it failed', async () => {
      await cloud.ensureInfrastructure();
      const fails: Phase<InfrastructureScope> = (scope) => {
        scope.stage = 'work';
        return Promise.reject(terraformFails(true));
      };
      await reconcilerWith(fails).reconcile(key, aContext());
      await pause(true);
      await reconcilerWith(nothing, nothing, () => Promise.resolve(settled)).reconcile(key, aContext());
      expect(await standing()).toEqual(['True Paused', 'False QuotaExceeded', 'False ReconcileError', 'QuotaExceeded']);
    });

    it('stays as it is where nothing waits', async () => {
      await cloud.ensureInfrastructure();
      await pause(true);
      const look: Phase<InfrastructureScope> = (scope) => Promise.resolve(((scope.isApplied = true), settled));
      await reconcilerWith(nothing, nothing, look).reconcile(key, aContext());
      expect(await standing()).toEqual(['True Paused', 'True Ready', 'True ReconcileSuccess', undefined]);
    });

    it('is removed all the same once that is asked for', async () => {
      await cloud.ensureInfrastructure();
      await pause(true);
      await reconcilerWith(nothing, nothing, () => Promise.resolve(settled)).reconcile(key, aContext());
      await cloud.infrastructures.remove('demo', NAMESPACE);
      const removed: Phase<InfrastructureScope> = () => Promise.resolve(settled);
      await reconcilerWith(nothing, removed, nothing).reconcile(key, aContext());
      expect(await find()).toBeUndefined();
    });
  });

  it('passes on what phases wait for, and records it', async () => {
    await cloud.ensureInfrastructure();
    const outcome = await reconcilerWith(() => Promise.resolve(waiting('WaitingForX', 7))).reconcile(key, aContext());

    expect(outcome).toEqual({ kind: 'waiting', reason: 'WaitingForX', retryAfterMs: 7 });
    expect((await find())?.status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason: 'WaitingForX' });
  });

  it('comes back soon after a failure at the provider, which is put right out of our sight', async () => {
    await cloud.ensureInfrastructure();
    const outcome = await reconcilerWith(() => Promise.reject(terraformFails(true))).reconcile(key, aContext());

    expect(outcome).toEqual({ kind: 'waiting', reason: 'QuotaExceeded', retryAfterMs: 1_234 });
    expect((await find())?.status?.failure).toMatchObject({ code: 'QuotaExceeded' });
  });

  it('comes back no sooner than it is of use', async () => {
    await cloud.ensureInfrastructure();
    const { failure } = terraformFails(true, 'AccountPending');
    const error = new TerraformError({ ...failure, retryAfterMs: 600_000 });

    expect(await reconcilerWith(() => Promise.reject(error)).reconcile(key, aContext())).toMatchObject({
      retryAfterMs: 600_000,
    });
  });

  it('leaves what failed without a run, which nothing counts, to the growing pauses of the engine', async () => {
    await cloud.ensureInfrastructure();
    const error = terraformFails(true, 'RateLimited');
    const pass = reconcilerWith(() => Promise.reject(error)).reconcile(key, aContext({ epoch: FAILED_RUN + 1n }));

    await expect(pass).rejects.toBe(error);
    expect((await find())?.status?.failure).toMatchObject({ code: 'RateLimited' });
  });

  it('tells that Terraform was killed, which is no restart of ours', async () => {
    await cloud.ensureInfrastructure();
    await reconcilerWith(() => Promise.reject(terraformFails(true, 'TerraformKilled'))).reconcile(key, aContext());

    expect((await find())?.status?.failure).toMatchObject({ code: 'TerraformKilled' });
  });

  it.each([
    { name: 'a failure that only another spec mends', error: terraformFails(false), recorded: 'InvalidInput' },
    { name: 'a service that is away', error: unavailable('Gone fishing'), recorded: 'Unavailable' },
    {
      name: 'a restart',
      error: new PlatformError('Unavailable', 'Interrupted', { details: { reason: 'Interrupted' } }),
      recorded: undefined,
    },
    { name: 'a newer pass', error: conflict('A newer pass'), recorded: undefined },
  ])('leaves $name to the engine', async ({ error, recorded }) => {
    await cloud.ensureInfrastructure();
    const pass = reconcilerWith(() => Promise.reject(error)).reconcile(key, aContext());

    await expect(pass).rejects.toBe(error);
    expect((await find())?.status?.failure?.code).toBe(recorded);
  });

  it('writes nothing in a second pass', async () => {
    await cloud.ensureInfrastructure();
    const reconciler = reconcilerWith((scope) => {
      scope.isApplied = true;
      return Promise.resolve(settled);
    });
    await reconciler.reconcile(key, aContext());
    const before = await cloud.store.currentRevision();
    await reconciler.reconcile(key, aContext());

    expect(await cloud.store.currentRevision()).toBe(before);
  });

  it('tells that everything is done when the pass is over, and not before', async () => {
    await cloud.ensureInfrastructure();
    const seen: string[] = [];
    jest.useFakeTimers();
    const note = async (): Promise<void> => {
      await jest.advanceTimersByTimeAsync(REPORTED_MS);
      seen.push(findCondition((await find())?.status?.conditions, 'Ready')?.status ?? 'Untold');
    };
    await reconcilerWith(async (scope) => {
      reportProgress(scope, { step: 1, steps: 2, message: 'Applying' });
      await note();
      reportProgress(scope, { step: 2, steps: 2, message: 'Applying' });
      scope.isApplied = true;
      await note();
      return settled;
    }).reconcile(key, aContext());

    expect(seen).toEqual(['False', 'False']);
    expect(isConditionTrue((await find())?.status?.conditions, 'Ready')).toBe(true);
  });

  it('keeps its status when the spec changes in the middle of a pass', async () => {
    await cloud.ensureInfrastructure();
    await reconcilerWith(async (scope) => {
      await cloud.ensureInfrastructure('demo', { region: 'eu-west-1' });
      scope.isApplied = true;
      return settled;
    }).reconcile(key, aContext());

    const found = await find();
    expect(found?.spec.region).toBe('eu-west-1');
    // The pass was about the generation before.
    expect(found?.status?.observedGeneration).toBe((found?.metadata.generation ?? 0) - 1);
  });

  it('lets the object go when the way back has settled, and not before', async () => {
    await cloud.ensureInfrastructure();
    await reconcilerWith(() => Promise.resolve(settled)).reconcile(key, aContext());
    await cloud.infrastructures.remove('demo', NAMESPACE);

    await reconcilerWith(() => Promise.resolve(waiting('WaitingForRemoval', 1))).reconcile(key, aContext());
    expect((await find())?.metadata.finalizers).toEqual([INFRASTRUCTURE_FINALIZER]);
    await reconcilerWith(() => Promise.resolve(settled)).reconcile(key, aContext());
    expect(await find()).toBeUndefined();
  });
});
