import assert from 'node:assert/strict';
import { InMemoryTracer, runInSpan, traceparentOf } from '@crate/telemetry';
import type { ReconcileKey } from './reconciler.js';
import { TRACE_LASTS_MS, type WorkClaim, type WorkLease, type WorkQueue } from './work-queue.js';

/** A fresh, empty queue whose clock a test can move. */
export interface WorkQueueFixture {
  readonly queue: WorkQueue;
  /** Lets `ms` pass on the queue's clock. */
  readonly advance: (ms: number) => Promise<void>;
}

interface ContractCase {
  readonly name: string;
  readonly run: (fixture: WorkQueueFixture) => Promise<void>;
}

const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;
const demo: ReconcileKey = { namespace: 'team-a', name: 'demo' };
const other: ReconcileKey = { namespace: '', name: 'other' };

function contractCase(name: string, run: ContractCase['run']): ContractCase {
  return { name, run };
}

async function claimOne(queue: WorkQueue): Promise<WorkLease> {
  const [lease, ...more] = await queue.claim('cluster', 10, LEASE_MS);
  assert.ok(lease, 'a key should have been due');
  assert.equal(more.length, 0, 'one key only should have been due');
  return lease;
}

async function assertNothingDue(queue: WorkQueue): Promise<void> {
  assert.deepEqual(await queue.claim('cluster', 10, LEASE_MS), []);
}

async function settle(queue: WorkQueue, lease: WorkClaim, failed = false): Promise<void> {
  await queue.finish(lease, { kind: 'again', afterMs: HOUR_MS, failed });
}

function near(actual: number | undefined, want: number): void {
  assert.ok(actual !== undefined && Math.abs(actual - want) < 5_000, `${actual} should be about ${want}`);
}

/** Enqueues as part of a trace of its own; gives its `traceparent`. */
async function enqueueTraced(queue: WorkQueue): Promise<string> {
  const span = new InMemoryTracer().begin('cause');
  await runInSpan(span, {}, () => queue.enqueue('cluster', [demo]));
  return traceparentOf(span);
}

/** What every WorkQueue must do. Run each case on a fixture of its own, for the adapter and for the fake. */
export const workQueueContract: readonly ContractCase[] = [
  contractCase('hands out what was enqueued, once', async ({ queue }) => {
    await queue.enqueue('cluster', [demo, other, demo]);
    await queue.enqueue('cluster', [demo]);
    const leases = await queue.claim('cluster', 10, LEASE_MS);
    assert.deepEqual(new Set(leases.map(({ key }) => key.name)), new Set(['demo', 'other']));
    assert.deepEqual([leases.length, leases[0]?.attempts, leases[0]?.isTakeover], [2, 0, false]);
    await assertNothingDue(queue);
  }),
  contractCase('keeps reconcilers apart and stays within the limit', async ({ queue }) => {
    await queue.enqueue('add-on', [demo, other]);
    await assertNothingDue(queue);
    assert.equal((await queue.claim('add-on', 1, LEASE_MS)).length, 1);
    assert.deepEqual(await queue.depth('add-on'), { due: 1, leased: 1 });
  }),
  contractCase(
    'hands out the key that is due longest first, and says how long it waited',
    async ({ queue, advance }) => {
      await queue.enqueue('cluster', [demo]);
      await advance(60_000);
      await queue.enqueue('cluster', [other]);
      const [first] = await queue.claim('cluster', 1, LEASE_MS);
      assert.equal(first?.key.name, 'demo');
      near(first?.waitedMs, 60_000);
    },
  ),
  contractCase('tells how long the key waits that waits longest', async ({ queue, advance }) => {
    assert.equal(await queue.oldestWaitMs('cluster'), 0);
    await queue.enqueue('cluster', [demo], HOUR_MS);
    assert.equal(await queue.oldestWaitMs('cluster'), 0, 'it is not due yet');
    await advance(HOUR_MS);
    await queue.enqueue('cluster', [other]);
    await advance(60_000);
    near(await queue.oldestWaitMs('cluster'), 60_000);
    await queue.claim('cluster', 2, LEASE_MS);
    assert.equal(await queue.oldestWaitMs('cluster'), 0, 'both are under lease');
  }),
  contractCase('delays, and only ever moves a key to an earlier time', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo], HOUR_MS);
    await queue.enqueue('cluster', [demo], 2 * HOUR_MS);
    await assertNothingDue(queue);
    near(await queue.nextDueInMs('cluster'), HOUR_MS);
    await queue.enqueue('cluster', [demo], HOUR_MS / 2);
    near(await queue.nextDueInMs('cluster'), HOUR_MS / 2);
    await advance(HOUR_MS / 2);
    await claimOne(queue);
  }),
  contractCase('tells when to look next', async ({ queue, advance }) => {
    assert.equal(await queue.nextDueInMs('cluster'), undefined);
    await queue.enqueue('cluster', [demo]);
    await advance(1_000);
    assert.equal(await queue.nextDueInMs('cluster'), 0);
    await claimOne(queue);
    near(await queue.nextDueInMs('cluster'), LEASE_MS);
  }),
  contractCase('looks again after the time that the pass asked for', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    await settle(queue, await claimOne(queue));
    await assertNothingDue(queue);
    await advance(HOUR_MS);
    await claimOne(queue);
  }),
  contractCase('looks again at once at a key enqueued during its pass, however the pass ended', async ({ queue }) => {
    const results = [
      { kind: 'again', afterMs: HOUR_MS, failed: false },
      { kind: 'again', afterMs: HOUR_MS, failed: true },
      { kind: 'forget' },
      { kind: 'release' },
    ] as const;
    await queue.enqueue('cluster', [demo]);
    for (const result of results) {
      const lease = await claimOne(queue);
      await queue.enqueue('cluster', [demo]);
      await assertNothingDue(queue);
      await queue.finish(lease, result);
    }
    await claimOne(queue);
  }),
  contractCase('tells at the end of a pass when its key is due again', async ({ queue }) => {
    const results = [
      { result: { kind: 'again', afterMs: HOUR_MS, failed: false }, isSoon: false },
      { result: { kind: 'release' }, isSoon: true },
      { result: { kind: 'again', afterMs: 0, failed: true }, isSoon: true },
    ] as const;
    for (const { result, isSoon } of results) {
      await queue.enqueue('cluster', [demo]);
      const dueInMs = await queue.finish(await claimOne(queue), result);
      assert.ok(dueInMs !== undefined && dueInMs > (isSoon ? -1 : HOUR_MS - 60_000));
      assert.ok(dueInMs <= (isSoon ? 0 : HOUR_MS));
    }
    const lease = await claimOne(queue);
    await queue.enqueue('cluster', [demo]);
    assert.equal(await queue.finish(lease, { kind: 'again', afterMs: HOUR_MS, failed: false }), 0);
    assert.equal(await queue.finish(lease, { kind: 'release' }), undefined); // It is not ours any more.
    assert.equal(await queue.finish(await claimOne(queue), { kind: 'forget' }), undefined);
    assert.equal(await queue.nextDueInMs('cluster'), undefined);
  }),
  contractCase('keeps the trace of what made a key due until a pass settles', async ({ queue, advance }) => {
    const trace = await enqueueTraced(queue);
    for (const failed of [false, true]) {
      const lease = await claimOne(queue);
      assert.equal(lease.trace, trace);
      await settle(queue, lease, failed);
      await advance(HOUR_MS / 2);
      await queue.enqueue('cluster', [demo]);
    }
    await queue.finish(await claimOne(queue), { kind: 'release' });
    const last = await claimOne(queue);
    assert.equal(last.trace, trace, 'a pass that was stopped has settled nothing');
    await queue.finish(last, { kind: 'again', afterMs: 0, failed: false, settled: true });
    assert.equal((await claimOne(queue)).trace, undefined);
  }),
  contractCase('keeps the trace of what made a key due during its pass', async ({ queue }) => {
    await queue.enqueue('cluster', [demo]);
    const lease = await claimOne(queue);
    assert.equal(lease.trace, undefined);
    const trace = await enqueueTraced(queue);
    await queue.finish(lease, { kind: 'again', afterMs: HOUR_MS, failed: false, settled: true });
    assert.equal((await claimOne(queue)).trace, trace);
  }),
  contractCase('keeps the first of two traces, and none for ever', async ({ queue, advance }) => {
    const trace = await enqueueTraced(queue);
    await enqueueTraced(queue);
    const lease = await claimOne(queue);
    assert.equal(lease.trace, trace);
    await settle(queue, lease);
    await advance(TRACE_LASTS_MS);
    assert.equal((await claimOne(queue)).trace, undefined);
  }),
  contractCase('counts failures in a row', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    for (const attempts of [0, 1, 2]) {
      const lease = await claimOne(queue);
      assert.equal(lease.attempts, attempts);
      await settle(queue, lease, true);
      await advance(HOUR_MS);
    }
    await settle(queue, await claimOne(queue));
    await advance(HOUR_MS);
    assert.equal((await claimOne(queue)).attempts, 0);
  }),
  contractCase('gives a released key to the next claim with its attempts', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    await settle(queue, await claimOne(queue), true);
    await advance(HOUR_MS);
    await queue.finish(await claimOne(queue), { kind: 'release' });
    const lease = await claimOne(queue);
    assert.deepEqual([lease.attempts, lease.isTakeover], [1, false]);
  }),
  contractCase('forgets a key, yet its epoch never starts again', async ({ queue }) => {
    await queue.enqueue('cluster', [demo]);
    const before = await claimOne(queue);
    await queue.finish(before, { kind: 'forget' });
    assert.equal(await queue.nextDueInMs('cluster'), undefined);
    await queue.enqueue('cluster', [demo]);
    const after = await claimOne(queue);
    assert.ok(after.epoch > before.epoch);
  }),
  contractCase('keeps a renewed lease', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    const lease = await claimOne(queue);
    for (let renewals = 0; renewals < 3; renewals++) {
      await advance(LEASE_MS - 5_000);
      assert.equal(await queue.renew(lease, LEASE_MS), true);
      await assertNothingDue(queue);
    }
  }),
  contractCase('lets another claim take over a lease that ended, under a higher epoch', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    const dead = await claimOne(queue);
    await advance(LEASE_MS);
    assert.equal(await queue.renew(dead, LEASE_MS), true, 'nobody took it yet');
    await advance(LEASE_MS);
    const heir = await claimOne(queue);
    assert.ok(heir.epoch > dead.epoch);
    assert.equal(heir.isTakeover, true);
    assert.equal(await queue.renew(dead, LEASE_MS), false);
  }),
  contractCase('ignores what a holder does with a lease that it lost', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    const dead = await claimOne(queue);
    await advance(LEASE_MS);
    const heir = await claimOne(queue);
    for (const kind of ['forget', 'release'] as const) await queue.finish(dead, { kind });
    await settle(queue, dead, true);
    await assertNothingDue(queue);
    assert.equal(await queue.renew(heir, LEASE_MS), true);
  }),
  contractCase('accepts a lease back once', async ({ queue }) => {
    await queue.enqueue('cluster', [demo]);
    const lease = await claimOne(queue);
    await settle(queue, lease);
    await queue.finish(lease, { kind: 'release' });
    await assertNothingDue(queue);
    assert.equal(await queue.renew(lease, LEASE_MS), false);
  }),
  contractCase('takes many leases back at once, each as its pass ended', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    const dead = await claimOne(queue);
    await advance(LEASE_MS);
    const [heir] = await queue.claim('cluster', 1, LEASE_MS);
    const names = ['settled', 'failed', 'enqueued'];
    await queue.enqueue(
      'cluster',
      names.map((name) => ({ namespace: 'team-a', name })),
    );
    const leases = new Map((await queue.claim('cluster', 9, LEASE_MS)).map((lease) => [lease.key.name, lease]));
    await queue.enqueue('cluster', [{ namespace: 'team-a', name: 'enqueued' }]);
    const ends = [dead, ...names.map((name) => leases.get(name) as WorkLease)].map((lease) =>
      queue.finish(lease, { kind: 'again', afterMs: HOUR_MS, failed: lease.key.name === 'failed' }),
    );
    const [ofDead, ofSettled, ofFailed, ofEnqueued] = await Promise.all(ends);
    assert.deepEqual([ofDead, ofEnqueued], [undefined, 0]);
    near(ofSettled, HOUR_MS);
    near(ofFailed, HOUR_MS);
    assert.equal(await queue.renew(heir as WorkLease, 2 * HOUR_MS), true, 'nobody gave this one back');
    await advance(HOUR_MS);
    const again = await queue.claim('cluster', 9, LEASE_MS);
    const attempts = Object.fromEntries(again.map((lease) => [lease.key.name, lease.attempts]));
    assert.deepEqual(attempts, { settled: 0, failed: 1, enqueued: 0 });
  }),
  contractCase('tells the place of a key in the queue', async ({ queue, advance }) => {
    await queue.enqueue('cluster', [demo]);
    await advance(1_000);
    await queue.enqueue('cluster', [other]);
    await advance(1_000);
    assert.deepEqual([await queue.position('cluster', demo), await queue.position('cluster', other)], [1, 2]);
    const [lease] = await queue.claim('cluster', 1, LEASE_MS);
    assert.deepEqual([await queue.position('cluster', demo), await queue.position('cluster', other)], [0, 1]);
    assert.ok(lease);
    await settle(queue, lease);
    assert.equal(await queue.position('cluster', demo), undefined);
  }),
];
