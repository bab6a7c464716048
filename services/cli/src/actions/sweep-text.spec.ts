import type { SweepReport } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { sweepText } from './sweep-text.js';

function aReport(fields: Partial<SweepReport> = {}): SweepReport {
  return { regions: ['eu-west-1'], findings: [], omitted: 0, listed: 40, others: 0, mode: 'remove', ...fields };
}

const finding: SweepReport['findings'][number] = {
  type: 'aws_vpc',
  id: 'vpc-1',
  region: 'eu-west-1',
  owner: { uid: 'u1', cluster: 'demo' },
  since: '2026-03-01T12:00:00Z',
  decision: 'remove',
  reason: 'OwnerDeleted',
  message: 'Its owner is gone, see DeletionRecord demo-1',
};
const unknown = { ...finding, id: 'vpc-2', decision: 'report', reason: 'OwnerUnknown', message: 'Who knows' } as const;

describe('sweepText', () => {
  it('names where nobody answered', () => {
    const report = aReport({ unanswered: ['Not looked at: me-south-1 (AWS rejected the credentials: AuthFailure)'] });
    expect(sweepText(report, false).split('\n')[1]).toBe(
      'Not looked at: me-south-1 (AWS rejected the credentials: AuthFailure).',
    );
  });

  it('says where was looked when nothing was found', () => {
    expect(sweepText(aReport({ others: 2 }), false)).toBe(
      'Looked at 40 resources in eu-west-1; 2 belong to other installations.\nNothing without an owner.\n',
    );
    expect(sweepText(aReport({ listed: 1, others: 1 }), false)).toContain(
      'Looked at 1 resource in eu-west-1; 1 belongs to other installations.',
    );
    expect(sweepText(aReport({ regions: [], listed: 0 }), false)).toContain('the account was never used');
  });

  it('shows each finding, and each reason once', () => {
    const text = sweepText(
      aReport({ findings: [finding, { ...finding, id: 'vpc-3', name: 'demo-net' }], omitted: 4 }),
      false,
    );

    expect(text).toMatch(/DECISION +REASON +TYPE +ID +NAME +REGION +CLUSTER +SINCE/);
    expect(text).toMatch(/remove +OwnerDeleted +aws_vpc +vpc-3 +demo-net +eu-west-1 +demo +2026-03-01T12:00:00Z/);
    expect(text.match(/see DeletionRecord/g)).toHaveLength(1);
    expect(text).toContain('… and 4 more');
  });

  it('says of each thing what to do, where that differs', () => {
    const machines = [3, 4].map((count) => ({ ...unknown, id: `i-${count}`, message: `Scale to at least ${count}` }));
    const text = sweepText(aReport({ findings: machines }), false);

    expect(text).toContain('OwnerUnknown: Scale to at least 3.\nOwnerUnknown: Scale to at least 4.\n');
  });

  it.each([
    {
      reason: 'a dry run does nothing',
      report: aReport({ findings: [finding, unknown] }),
      isDone: false,
      want: 'Nothing was done. In a sweep, 1 of these is to be',
    },
    {
      reason: 'a sweep has begun',
      report: aReport({ findings: [finding, finding] }),
      isDone: true,
      want: 'A sweep has begun: 2 of these are to be',
    },
    {
      reason: 'a person has to decide',
      report: aReport({ findings: [unknown] }),
      isDone: true,
      want: 'a person has to decide',
    },
    {
      reason: 'too much at once',
      report: aReport({ findings: [finding], held: 'Too many' }),
      isDone: true,
      want: 'Nothing is removed: Too many.',
    },
  ])('ends with what comes of it: $reason', ({ report, isDone, want }) => {
    expect(sweepText(report, isDone).trimEnd().split('\n').at(-1)).toContain(want);
  });
});
