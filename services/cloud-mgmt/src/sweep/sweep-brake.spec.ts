import type { SweepFinding, SweepSpec } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { planRemovals } from './sweep-brake.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;

function aFinding(fields: Partial<SweepFinding> = {}): SweepFinding {
  return {
    type: 'aws_eip',
    id: 'eip-1',
    region: 'eu-west-1',
    owner: { uid: 'u1' },
    since: '2026-03-01T11:00:00Z',
    decision: 'remove',
    reason: 'OwnerDeleted',
    message: '',
    ...fields,
  };
}

const orphans = (count: number): SweepFinding[] =>
  Array.from({ length: count }, (_, index) => aFinding({ id: `eip-${index}` }));

function plan(
  findings: readonly SweepFinding[],
  { spec, own = 1_000, maxPerPass = 20 }: { spec?: Partial<SweepSpec>; own?: number; maxPerPass?: number } = {},
): ReturnType<typeof planRemovals> {
  const question = { findings, own, graceMs: 10 * MINUTE_MS, maxPerPass, now: NOW };
  return planRemovals(spec && { mode: 'remove', maxRemovalPercent: 10, ...spec }, question);
}

describe('planRemovals', () => {
  it('removes what is proven abandoned', () => {
    expect(plan(orphans(2))).toMatchObject({ now: orphans(2), held: undefined, settlesInMs: undefined });
  });

  it.each([
    { reason: 'what is only reported', finding: aFinding({ decision: 'report', reason: 'OwnerUnknown' }) },
    { reason: 'what its owner is asked to take', finding: aFinding({ decision: 'adopt', reason: 'NotInState' }) },
    { reason: 'what was made twice: its owner removes it', finding: aFinding({ reason: 'Duplicate' }) },
  ])('does not remove $reason', ({ finding }) => {
    expect(plan([finding]).now).toEqual([]);
  });

  it('waits until it was found for long enough', () => {
    const since = '2026-03-01T11:53:00Z';

    expect(plan([aFinding({ since }), aFinding({ id: 'eip-2', since: '2026-03-01T11:58:00Z' })])).toMatchObject({
      now: [],
      settlesInMs: 3 * MINUTE_MS,
    });
  });

  it('does not look again for the sake of what is only reported', () => {
    const since = '2026-03-01T11:58:00Z';

    expect(plan([aFinding({ since, decision: 'report', reason: 'OwnerUnknown' })]).settlesInMs).toBeUndefined();
  });

  it.each([
    { reason: 'ten may always go', count: 10, own: 10, percent: 10, isHeld: false },
    { reason: 'eleven of eleven are too many', count: 11, own: 11, percent: 10, isHeld: true },
    { reason: 'a hundred of a thousand are a tenth', count: 100, own: 1_000, percent: 10, isHeld: false },
    { reason: 'one more is not', count: 101, own: 1_000, percent: 10, isHeld: true },
    { reason: 'a person allowed it', count: 11, own: 11, percent: 100, isHeld: false },
    { reason: 'a person wants to be asked, and ten are a few', count: 11, own: 1_000, percent: 0, isHeld: true },
  ])('holds: $isHeld, because $reason', ({ count, own, percent, isHeld }) => {
    const { now, held } = plan(orphans(count), { own, spec: { maxRemovalPercent: percent }, maxPerPass: 200 });

    expect(now).toHaveLength(isHeld ? 0 : count);
    const why = { reason: 'RemovalHeld', message: expect.stringContaining('spec.sweep.maxRemovalPercent') as unknown };
    if (isHeld) expect(held).toEqual(why);
    else expect(held).toBeUndefined();
  });

  it('judges all there is, and then removes so many in one go, in the order in which they can go', () => {
    const findings = [
      aFinding({ type: 'aws_vpc', id: 'vpc-1' }),
      ...orphans(3),
      aFinding({ type: 'aws_instance', id: 'i-1' }),
    ];

    expect(plan(findings, { maxPerPass: 2 }).now.map(({ id }) => id)).toEqual(['i-1', 'eip-0']);
  });

  it('only tells while the database is older than the world', () => {
    const lost = aFinding({ decision: 'adopt', reason: 'NotInState' });
    const findings = [aFinding(), aFinding({ reason: 'Duplicate' }), lost];
    const question = { findings, own: 100, graceMs: 0, maxPerPass: 20, isRecovering: true, now: NOW };
    const { now, askOwners, held } = planRemovals(undefined, question);

    expect({ now, askOwners }).toEqual({ now: [], askOwners: [lost] });
    const message: unknown = expect.stringContaining('crate recovery confirm');
    expect(held).toEqual({ reason: 'Recovering', message });
  });

  it('only tells when removal is switched off', () => {
    const duplicate = aFinding({ reason: 'Duplicate' });
    const lost = aFinding({ decision: 'adopt', reason: 'NotInState' });
    const { now, askOwners, held } = plan([aFinding(), duplicate, lost], { spec: { mode: 'report' } });

    expect({ now, askOwners }).toEqual({ now: [], askOwners: [lost] });
    expect(held).toEqual({ reason: 'RemovalHeld', message: expect.stringContaining('spec.sweep.mode') as unknown });
  });
});
