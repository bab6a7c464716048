import { beforeEach, describe, expect, it } from '@jest/globals';
import { findCondition, type Condition } from '@crate/api';
import { ADA, GRACE, PIPELINE, PROJECT, WaiverBench } from '../testing/waiver-bench.js';

const DAY_MS = 86_400_000;
const END_MS = Date.parse('2026-07-01T00:00:00Z');

describe('WaiverReconciler', () => {
  let bench: WaiverBench;

  beforeEach(async () => {
    bench = new WaiverBench();
    await bench.rule('rule-a');
    await bench.ask(ADA);
  });

  async function condition(type: string): Promise<Condition | undefined> {
    return findCondition((await bench.stored()).status?.conditions, type);
  }

  const until = (leftMs: number): void => {
    bench.now = new Date(END_MS - leftMs);
  };

  it('says whom a waiver waits for', async () => {
    expect(await bench.reconcile()).toMatchObject({ kind: 'waiting' });
    const { status } = await bench.stored();
    expect(status).toMatchObject({ requestedBy: 'ada', covers: { count: 1, policies: ['rule-a'] } });
    expect(status?.conditions).toMatchObject([
      {
        type: 'Ready',
        status: 'False',
        reason: 'WaitingForApproval',
        message: expect.stringContaining('than ada has'),
      },
      { type: 'Synced', status: 'True' },
      { type: 'Approved', status: 'False', reason: 'NotApproved' },
      { type: 'Expired', status: 'False' },
      { type: 'ExpiresSoon', status: 'False' },
    ]);
    expect(bench.events.reasons).toEqual([]);
  });

  it('says that two have to approve what a machine asks for, and then one more', async () => {
    await bench.ask(PIPELINE, {}, { name: 'w2' });
    await bench.waivers.remove('w', PROJECT);
    await bench.ask(PIPELINE);
    await bench.reconcile();
    expect((await condition('Ready'))?.message).toContain('each of two people');
    await bench.decide(GRACE, 'approve');
    await bench.reconcile();
    expect((await condition('Ready'))?.message).toContain('One more person beside grace');
  });

  it('tells the approval, each notice and the end once, and writes nothing in between', async () => {
    await bench.decide(GRACE, 'approve');
    const steps: [leftMs: number, ready: string, told: readonly string[]][] = [
      [20 * DAY_MS, 'InForce', ['Normal Approved']],
      [7 * DAY_MS + 1, 'InForce', []],
      [7 * DAY_MS, 'InForce', ['Warning ExpiresSoon']],
      [3 * DAY_MS, 'InForce', []],
      [DAY_MS, 'InForce', ['Warning ExpiresSoon']],
      [1, 'InForce', []],
      [0, 'Expired', ['Warning Expired']],
      [-DAY_MS, 'Expired', []],
    ];
    for (const [leftMs, ready, told] of steps) {
      until(leftMs);
      bench.events.events.length = 0;
      await bench.reconcile();
      const revision = await bench.store.currentRevision();
      await bench.reconcile();
      expect(await bench.store.currentRevision()).toBe(revision);
      expect([leftMs, (await condition('Ready'))?.reason, bench.events.reasons]).toEqual([leftMs, ready, told]);
    }
    expect((await condition('Expired'))?.status).toBe('True');
    expect((await condition('ExpiresSoon'))?.status).toBe('False');
  });

  it('names the end and how near it is', async () => {
    await bench.decide(GRACE, 'approve');
    until(7 * DAY_MS);
    await bench.reconcile();
    expect((await bench.stored()).status?.notice).toBe('7d');
    expect(await condition('ExpiresSoon')).toMatchObject({ status: 'True', message: 'Within 7d' });
    expect(bench.events.events.at(-1)?.message).toBe(
      'Within 7d, on 2026-07-01T00:00:00Z; from then on what it covers counts as violated',
    );
  });

  it('gives no notice of what nobody approved, and says that nobody did', async () => {
    until(DAY_MS);
    await bench.reconcile();
    expect(bench.events.reasons).toEqual([]);
    until(0);
    expect(await bench.reconcile()).toEqual({ kind: 'settled' });
    expect(await condition('Ready')).toMatchObject({ reason: 'Expired', message: 'Nobody approved it in time' });
    expect(bench.events.reasons).toEqual(['Normal Expired']);
  });

  it('tells who took it back, and has no more to do', async () => {
    await bench.decide(GRACE, 'approve');
    await bench.reconcile();
    await bench.decide(ADA, 'revoke');
    expect(await bench.reconcile()).toEqual({ kind: 'settled' });
    expect(await condition('Ready')).toMatchObject({ reason: 'Revoked', message: 'Revoked by ada' });
    expect(bench.events.reasons).toEqual(['Normal Approved', 'Normal Revoked']);
  });

  it('lets people look for what they asked for or approved, and for a ticket', async () => {
    await bench.ask(GRACE, { ticket: 'RISK-1' }, { name: 'other' });
    await bench.decide(GRACE, 'approve');
    await bench.reconcile();
    const found = async (fieldSelector: string): Promise<readonly string[]> =>
      (await bench.waivers.list({ fieldSelector })).map(({ metadata }) => metadata.name);
    expect(await found('status.requestedBy=ada')).toEqual(['w']);
    expect(await found('status.approvedBy=grace')).toEqual(['w']);
    expect(await found('spec.ticket=RISK-1')).toEqual(['other']);
  });

  it('says when there is no rule any more that it covers', async () => {
    await bench.decide(GRACE, 'approve');
    await bench.rule('rule-a', { waivableBy: 'PlatformAdmin' });
    await bench.reconcile();
    expect(await condition('Ready')).toMatchObject({ status: 'False', reason: 'CoversNothing' });
    await bench.rule('rule-a');
    await bench.reconcile();
    expect(await condition('Ready')).toMatchObject({ status: 'True' });
  });

  it.each([
    { leftMs: 7 * DAY_MS + 5_000, wantMs: 5_000, reason: 'the first notice is next' },
    { leftMs: 7 * DAY_MS, wantMs: 30 * 60_000, reason: 'the second is, and rules may change before' },
    { leftMs: 7_000, wantMs: 7_000, reason: 'the end is' },
  ])('looks again in $wantMs ms: $reason', async ({ leftMs, wantMs }) => {
    until(leftMs);
    expect(await bench.reconcile()).toEqual({ kind: 'waiting', reason: 'WaitingForExpiry', retryAfterMs: wantMs });
  });

  it('has nothing to do for one that is gone', async () => {
    await bench.waivers.remove('w', PROJECT);
    expect(await bench.reconcile()).toEqual({ kind: 'settled', isGone: true });
  });
});
