import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyWaiverSpec } from '@crate/api';
import { ADA, GRACE, PIPELINE, PROJECT, WaiverBench } from '../testing/waiver-bench.js';

describe('asking for a waiver', () => {
  let bench: WaiverBench;

  beforeEach(async () => {
    bench = new WaiverBench();
    await bench.rule('rule-a');
    await bench.rule('firm-a', { waivableBy: 'Nobody' });
    await bench.rule('mixed-soft');
    await bench.rule('mixed-firm', { waivableBy: 'Nobody' });
  });

  it.each<{ name: string; given: Partial<PolicyWaiverSpec>; causes: readonly (readonly [string, string])[] }>([
    {
      name: 'one that has ended',
      given: { expiresAt: '2026-06-01T00:00:00Z' },
      causes: [['spec.expiresAt', 'must be in the future']],
    },
    {
      name: 'one for ever',
      given: { expiresAt: '2026-11-28T00:00:01Z' },
      causes: [['spec.expiresAt', 'must be at most 180d away']],
    },
    {
      name: 'one of a rule that nobody may waive',
      given: { policies: ['rule-a', 'firm-a'] },
      causes: [['spec.policies[1]', 'nobody may waive firm-a (waivableBy: Nobody)']],
    },
    {
      name: 'one of a family that nobody may waive',
      given: { policies: ['firm-*'] },
      causes: [['spec.policies[0]', 'nobody may waive firm-a']],
    },
    { name: 'one of no rule', given: { policies: ['gone', 'x-*'] }, causes: [['spec.policies', 'there is no Policy']] },
    {
      name: 'all that is wrong at once',
      given: { policies: ['firm-a'], expiresAt: '2026-01-01T00:00:00Z' },
      causes: [
        ['spec.expiresAt', 'must be in the future'],
        ['spec.policies[0]', 'Forbidden: nobody may waive'],
      ],
    },
  ])('is refused for $name', async ({ given, causes }) => {
    await expect(bench.ask(ADA, given)).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: causes.map(([field, text]) => ({ field, message: expect.stringContaining(text) })) },
    });
    expect(await bench.waivers.find('w', PROJECT)).toBeUndefined();
  });

  it('is taken up to the longest time, and to the instant', async () => {
    await expect(bench.ask(ADA, { expiresAt: '2026-11-28T00:00:00Z' })).resolves.toMatchObject({ warnings: [] });
  });

  it('warns of rules that are not there, and of those that a family does not cover', async () => {
    const { warnings } = await bench.ask(ADA, { policies: ['rule-a', 'gone', 'mixed-*', 'x-*'] });
    expect(warnings).toEqual([
      'spec.policies[1]: there is no Policy gone yet',
      'spec.policies[2]: mixed-* does not cover mixed-firm, which nobody may waive',
      'spec.policies[3]: there is no Policy x-* yet',
    ]);
  });

  it('records who asked, and takes nobody’s word for what was decided', async () => {
    const annotations = {
      'policy.crate.dev/requested-by': 'somebody else',
      'policy.crate.dev/approvals': '[{"by":"root","at":"2026-06-01T00:00:00Z","as":"PlatformAdmin"}]',
      'policy.crate.dev/revoked': '{}',
      'example.com/note': 'kept',
    };
    await bench.ask(ADA, {}, { annotations });
    const own = { 'example.com/note': 'kept', 'policy.crate.dev/requested-by': 'ada' };
    expect((await bench.stored()).metadata.annotations).toEqual(own);

    await bench.as(ADA).merge('w', PROJECT, { metadata: { annotations } });
    expect((await bench.stored()).metadata.annotations).toEqual(own);
    // Not even a service that writes for a person may say so.
    await bench.as({ ...PIPELINE, service: 'cloud-mgmt' }).merge('w', PROJECT, { metadata: { annotations } });
    expect((await bench.stored()).metadata.annotations).toEqual(own);
  });

  it('keeps what was decided when annotations are taken away', async () => {
    await bench.ask(ADA);
    await bench.decide(GRACE, 'approve');
    const { metadata } = await bench.stored();
    await bench.as(ADA).merge('w', PROJECT, { metadata: { annotations: null } });
    expect((await bench.stored()).metadata.annotations).toEqual(metadata.annotations);
  });
});

describe('changing a waiver', () => {
  let bench: WaiverBench;

  beforeEach(async () => {
    bench = new WaiverBench();
    await bench.rule('rule-a');
    await bench.rule('rule-b');
    await bench.ask(ADA, { clusters: ['demo'] });
  });

  it.each<{ name: string; spec: Record<string, unknown>; want: string }>([
    {
      name: 'to more rules',
      spec: { policies: ['rule-a', 'rule-b'] },
      want: 'is immutable but for an earlier expiresAt',
    },
    { name: 'to more clusters', spec: { clusters: null }, want: 'is immutable' },
    { name: 'to fewer fields', spec: { fields: ['spec.a'] }, want: 'is immutable' },
    { name: 'to another reason', spec: { reason: 'Something else entirely' }, want: 'is immutable' },
    { name: 'to a later end', spec: { expiresAt: '2026-07-01T00:00:01Z' }, want: 'must not be later than' },
    { name: 'to an end that was', spec: { expiresAt: '2026-05-31T00:00:00Z' }, want: 'subresource revoke' },
  ])('$name is refused, approved or not', async ({ spec, want }) => {
    await expect(bench.as(ADA).merge('w', PROJECT, { spec })).rejects.toThrow(want);
    await bench.decide(GRACE, 'approve');
    await expect(bench.as(ADA).merge('w', PROJECT, { spec })).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it('to an earlier end is taken, and keeps the approval', async () => {
    await bench.decide(GRACE, 'approve');
    await bench.as(ADA).merge('w', PROJECT, { spec: { expiresAt: '2026-06-02T00:00:00Z' } });
    await bench.reconcile();
    expect((await bench.stored()).status).toMatchObject({ approvedBy: 'grace' });
  });

  it('in its labels is taken, also once it has ended and its rules are gone', async () => {
    bench.wait(365 * 86_400_000);
    await bench.rules.remove('rule-a');
    await bench.as(ADA).merge('w', PROJECT, { metadata: { labels: { a: 'b' } } });
    expect((await bench.stored()).metadata.labels).toEqual({ a: 'b' });
  });
});
