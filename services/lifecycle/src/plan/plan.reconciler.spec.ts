import { PLAN, type Plan } from '@crate/api';
import { invalidSpec, PlatformError, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Killer } from '../testing/killer.js';
import { GROW, NOTHING, OUTDATED, PlanBench, SAME } from '../testing/plan-bench.js';
import { PLAN_FINALIZER } from './plan.reconciler.js';

const DAY_MS = 86_400_000;

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

describe('a plan', () => {
  it('goes on once cloud-mgmt answers, and says meanwhile what it waits for', async () => {
    await bench.start();
    await bench.plan(GROW);
    bench.planner.error = unavailable('cloud-mgmt is not available, try again');
    expect(await bench.pass()).toMatchObject({ code: 'Unavailable' });
    expect(await bench.phase()).toBe('Pending');
    const { conditions, failure } = (await bench.find())?.status ?? {};
    expect(conditions?.[0]?.message).toContain('cloud-mgmt is not available');
    expect(failure).toMatchObject({ code: 'Unavailable', retryable: true });
    bench.planner.error = undefined;
    await bench.pass();
    expect(await bench.phase()).toBe('Ready');
    expect((await bench.find())?.status?.failure).toBeUndefined();
  });

  it('that meets an error of ours names the pass that met it first, and is tried again', async () => {
    await bench.start();
    await bench.plan(GROW);
    bench.planner.error = new PlatformError('Invariant', 'a row without a name');
    await bench.pass();
    const { failure } = (await bench.find())?.status ?? {};
    expect(failure).toMatchObject({ code: 'InternalError', retryable: true, traceId: 'trace' });
    await bench.pass('grow', 'another');
    expect((await bench.find())?.status?.failure).toEqual(failure);
  });

  it('that was worked out does not say why it was not', async () => {
    await bench.start();
    await bench.plan(GROW);
    await bench.pass();
    const failure = { code: 'Unavailable', message: 'policy-mgmt does not answer', retryable: true };
    const found = (await bench.find()) as Plan;
    // As one that was at work beside this one leaves it.
    await bench.for(PLAN).saveStatus(found, { ...found.status, failure });
    await bench.pass();
    expect((await bench.find())?.status?.failure).toBeUndefined();
  });

  it.each([
    { passes: 0, message: 'The plan could not be worked out in time' },
    { passes: 1, message: 'The plan could not be worked out in time: cloud-mgmt is not available, try again' },
  ])('that was not worked out in time blames nobody for not approving it ($passes passes)', async (row) => {
    await bench.start();
    await bench.plan({ ...GROW, ttl: '1h' });
    bench.planner.error = unavailable('cloud-mgmt is not available, try again');
    await bench.passes(row.passes);
    bench.now = new Date(bench.now.getTime() + DAY_MS / 24 + 1000);
    await bench.pass();
    const { end, failure } = (await bench.find())?.status ?? {};
    expect(end).toMatchObject({ phase: 'Expired', reason: 'NotWorkedOut', message: row.message });
    if (row.passes > 0) expect(failure).toMatchObject({ code: 'Unavailable', retryable: false });
    expect(bench.events.events).toMatchObject([{ reason: 'PlanExpired', message: row.message }]);
  });

  it('expires when nobody approves it, and is forgotten a day later', async () => {
    await bench.start();
    await bench.plan({ ...GROW, ttl: '1h' });
    await bench.pass();
    bench.now = new Date(bench.now.getTime() + DAY_MS / 24 + 1000);
    await bench.pass();
    expect(await bench.phase()).toBe('Expired');
    expect((await bench.find())?.status?.end?.message).toBe('Nobody approved the plan in time');
    await expect(bench.approve()).rejects.toMatchObject({ code: 'Conflict' });
    bench.now = new Date(bench.now.getTime() + DAY_MS);
    await bench.pass();
    expect(await bench.find()).toBeUndefined();
  });

  it('says that it is approved before it asks anybody, who may take a while to answer', async () => {
    await bench.startApproved(GROW);
    const preview = bench.planner.preview.bind(bench.planner);
    const phases: unknown[] = [];
    bench.planner.preview = async (...call) => {
      phases.push(await bench.phase());
      return preview(...call);
    };
    await bench.pass();
    expect(phases).toEqual(['Approved']);
  });

  it('is carried out to its end when somebody deletes it meanwhile: nobody else would give the spec back', async () => {
    await bench.startApproved(GROW);
    await bench.passes(2);
    await bench.for(PLAN).remove('grow', 'team-a');
    await bench.passes(2);
    expect((await bench.find())?.metadata.deletionTimestamp).toBeDefined();
    await bench.provide(OUTDATED);
    await bench.passes(2);
    expect(await bench.replicas()).toBe(2);
    expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
    expect(await bench.find()).toBeUndefined();
  });

  it('is gone at once when somebody deletes it before it is begun, or after its end', async () => {
    await bench.startApproved(GROW);
    await bench.for(PLAN).remove('grow', 'team-a');
    expect(await bench.find()).toBeUndefined();

    bench.planner.answer = NOTHING;
    await bench.plan(SAME, 'nothing');
    await bench.pass('nothing');
    await bench.approve('nothing');
    await bench.pass('nothing');
    expect(await bench.phase('nothing')).toBe('Executed');
    await bench.for(PLAN).remove('nothing', 'team-a');
    expect(await bench.find('nothing')).toBeUndefined();
  });

  it.each([false, true])('ends the same when it is killed at any write (done: %s)', async (afterwards) => {
    let deadly = 0;
    for (let isOver = false; !isOver;) {
      deadly += 1;
      const killer = new Killer(deadly, afterwards);
      bench = new PlanBench(killer.wrap);
      await bench.start();
      await bench.plan(GROW);
      await bench.pass();
      killer.restart();
      await bench.pass();
      await bench.approve().catch(() => undefined);
      killer.restart();
      await bench.approve();
      for (let turn = 0; turn < 6; turn += 1) {
        await bench.pass();
        killer.restart();
        await bench.provide();
      }
      expect({ deadly, phase: await bench.phase(), replicas: await bench.replicas() }).toEqual({
        deadly,
        phase: 'Executed',
        replicas: 4,
      });
      expect((await bench.cluster())?.metadata).toMatchObject({ generation: 2 });
      expect((await bench.cluster())?.metadata.annotations).toBeUndefined();
      isOver = !killer.hasStruck;
    }
    expect(deadly).toBeGreaterThan(12);
  });
});

describe('a refusal of admission', () => {
  it('is not asked again', async () => {
    await bench.start();
    bench.planner.error = invalidSpec('no such machine type', []);
    await bench.plan(GROW);
    await bench.passes(3);
    expect(bench.planner.requests).toHaveLength(1);
  });
});

describe('the finalizer of a plan', () => {
  it('is not taken off by a person', async () => {
    await bench.startApproved(GROW);
    await bench.pass();
    const patched = await bench.for(PLAN).merge('grow', 'team-a', { metadata: { finalizers: null } });
    expect(patched.metadata.finalizers).toEqual([PLAN_FINALIZER]);
  });
});
