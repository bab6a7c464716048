import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyWaiverSpec } from '@crate/api';
import { hasCode } from '@crate/errors';
import { ADA, GRACE, PIPELINE, PROJECT, ROOT, WaiverBench } from '../testing/waiver-bench.js';
import { approvalOf, factsOf, stateOf } from './waiver.facts.js';

describe('deciding about a waiver', () => {
  let bench: WaiverBench;

  beforeEach(async () => {
    bench = new WaiverBench();
    await bench.rule('rule-a');
    await bench.rule('high-a', { waivableBy: 'PlatformAdmin' });
  });

  const state = async (): Promise<string> => stateOf(factsOf(await bench.stored()), bench.now.getTime());

  it('has another person approve it, and tells who and when', async () => {
    await bench.ask(ADA);
    bench.wait(60_000);
    const answer = await bench.decide(GRACE, 'approve');
    expect(answer.status).toMatchObject({
      requestedBy: 'ada',
      requestedAt: answer.metadata.creationTimestamp,
      approvals: [{ by: 'grace', at: '2026-06-01T00:01:00Z', as: 'ProjectAdmin' }],
      approvedBy: 'grace',
      approvedAt: '2026-06-01T00:01:00Z',
    });
    expect(await state()).toBe('InForce');
  });

  it.each([
    { name: 'the one who asked', caller: ADA, reason: 'SecondPersonNeeded' },
    { name: 'the one who asked, risen', caller: { ...ROOT, user: ADA.user }, reason: 'SecondPersonNeeded' },
    { name: 'an API key', caller: PIPELINE, reason: 'PersonNeeded' },
    {
      name: 'a service',
      caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' },
      reason: 'PersonNeeded',
    },
    { name: 'nobody', caller: { user: '', groups: [] }, reason: 'PersonNeeded' },
  ])('does not let $name approve', async ({ caller, reason }) => {
    await bench.ask(ADA);
    await expect(bench.decide(caller, 'approve')).rejects.toMatchObject({ code: 'Forbidden', details: { reason } });
    expect(await state()).toBe('WaitingForApproval');
  });

  it.each<{ name: string; policies: PolicyWaiverSpec['policies'] }>([
    { name: 'a rule', policies: ['rule-a', 'high-a'] },
    { name: 'a family of rules with one', policies: ['*-a'] },
  ])('needs a platform administrator for $name that takes one', async ({ policies }) => {
    await bench.ask(ADA, { policies });
    await expect(bench.decide(GRACE, 'approve')).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('only a platform administrator may waive: high-a'),
      details: { reason: 'PlatformAdminNeeded' },
    });
    await bench.decide(ROOT, 'approve');
    expect(approvalOf(factsOf(await bench.stored()))).toMatchObject({ by: 'root', authority: 'PlatformAdmin' });
  });

  it('approves nothing that is about no rule any more, or that rules forbid meanwhile', async () => {
    await bench.ask(ADA);
    await bench.rule('rule-a', { waivableBy: 'Nobody' });
    await expect(bench.decide(ROOT, 'approve')).rejects.toMatchObject({ details: { reason: 'CoversNothing' } });
    await bench.rules.remove('rule-a');
    await expect(bench.decide(ROOT, 'approve')).rejects.toMatchObject({ details: { reason: 'CoversNothing' } });
  });

  it('takes two people for what a machine asks for', async () => {
    await bench.ask(PIPELINE);
    await bench.decide(GRACE, 'approve');
    expect(await state()).toBe('WaitingForApproval');
    await bench.decide(GRACE, 'approve');
    expect(await state()).toBe('WaitingForApproval');
    bench.wait(1_000);
    const { status } = await bench.decide(ADA, 'approve');
    expect(status).toMatchObject({ approvedBy: 'grace, ada', approvedAt: '2026-06-01T00:00:01Z' });
    expect(await state()).toBe('InForce');
  });

  it('changes nothing when it is approved again, in a dry run, or when another one was meant', async () => {
    await bench.ask(ADA);
    const before = await bench.stored();
    const shown = await bench.decide(GRACE, 'approve', { dryRun: true });
    expect(shown.status?.approvedBy).toBe('grace');
    const other = bench.decide(GRACE, 'approve', { body: { uid: 'another' } });
    await expect(other).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'AnotherWaiver' } });
    await expect(bench.decide(GRACE, 'approve', { body: { why: '' } })).rejects.toMatchObject({ code: 'InvalidSpec' });
    expect(await bench.stored()).toEqual(before);

    await bench.decide(GRACE, 'approve', { body: { uid: before.metadata.uid } });
    const { metadata } = await bench.stored();
    bench.wait(1_000);
    await bench.decide(GRACE, 'approve');
    expect((await bench.stored()).metadata).toEqual(metadata);
  });

  it('cannot be approved once it has ended or was taken back', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'revoke');
    await expect(bench.decide(ROOT, 'approve')).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('it is Revoked'),
    });
    await bench.waivers.remove('w', PROJECT);
    await bench.ask(ADA);
    bench.now = new Date('2026-07-01T00:00:00Z');
    await expect(bench.decide(ROOT, 'approve')).rejects.toThrow('it is Expired');
  });

  it('is taken back by whoever may, a machine too, for good', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'approve');
    await bench.decide(PIPELINE, 'revoke');
    bench.wait(1_000);
    const { status } = await bench.decide(ADA, 'revoke');
    expect(status?.revoked).toEqual({ by: PIPELINE.user, at: '2026-06-01T00:00:00Z' });
    expect(await state()).toBe('Revoked');
  });

  it('loses no approval to those who decide at the same moment', async () => {
    await bench.ask(PIPELINE);
    const deciding = [ADA, GRACE, ROOT].map((caller) => bench.decide(caller, 'approve'));
    const failed = (await Promise.allSettled([...deciding, bench.reconcile()])).filter(
      (each) => each.status === 'rejected' && !hasCode(each.reason, 'Conflict'),
    );
    expect(failed).toEqual([]);
    const { approvals } = factsOf(await bench.stored());
    expect(approvals.map(({ by }) => by).sort()).toEqual(['ada', 'grace', 'root']);
  });
});

describe('what was decided', () => {
  it.each([
    { name: 'no approval', key: 'policy.crate.dev/approvals', want: 'WaitingForApproval' },
    { name: 'a revocation', key: 'policy.crate.dev/revoked', want: 'Revoked' },
  ])('counts as $name where it cannot be read', async ({ key, want }) => {
    const bench = new WaiverBench();
    await bench.rule('rule-a');
    await bench.ask(ADA);
    const waiver = await bench.stored();
    const annotations = { ...waiver.metadata.annotations, [key]: '[{"by":"grace"' };
    expect(stateOf(factsOf({ ...waiver, metadata: { ...waiver.metadata, annotations } }), 0)).toBe(want);
  });
});
