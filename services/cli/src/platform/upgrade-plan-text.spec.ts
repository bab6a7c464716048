import { describe, expect, it } from '@jest/globals';
import type { UpgradeProblem } from '@crate/api';
import { aPlan, aStep } from '../testing/a-component.js';
import { refusalOf, upgradePlanLines } from './upgrade-plan-text.js';

const NOT_PRESENT: UpgradeProblem = {
  ...{ reason: 'NotPresent', effect: 'Refused', message: '0.2.0 does not lie there', remedy: 'Unpack it' },
};
const PAUSED: UpgradeProblem = { reason: 'Paused', effect: 'Waits', message: 'It is paused', remedy: 'Resume it' };

describe('upgradePlanLines', () => {
  it('says who moves in which order, how, which versions meet and whether there is a way back', () => {
    expect(upgradePlanLines(aPlan())).toEqual([
      'To 0.2.0 (stable, of 2026-11-21)',
      'Skew: reached from 0.1.0, and the oldest service has 0.1.0',
      'Way back: none; restore the backup from before, so make one now (docs/backup.md)',
      '',
      '    SERVICE      FROM   TO     DO       HOW',
      '1.  policy-mgmt  0.1.0  0.2.0  Upgrade  Canary 1m > Rolling',
      '2.  lifecycle    0.1.0  0.2.0  Upgrade  Canary 1m > Rolling',
      '',
      'Canary: One more replica runs 0.2.0',
      'Rolling: The others are replaced one by one',
      '',
      'Nothing is in the way',
    ]);
  });

  it('says once what is in the way of several, with what to do, and what follows', () => {
    const steps = [
      aStep('policy-mgmt', { problems: [NOT_PRESENT, PAUSED] }),
      aStep('lifecycle', { problems: [NOT_PRESENT] }),
    ];
    expect(upgradePlanLines(aPlan({ steps })).slice(-7)).toEqual([
      'In the way:',
      '  REFUSED  policy-mgmt, lifecycle: NotPresent: 0.2.0 does not lie there',
      '           → Unpack it',
      '  WAITS  policy-mgmt: Paused: It is paused',
      '           → Resume it',
      '',
      'It would be refused, and nothing would change',
    ]);
    expect(refusalOf(aPlan({ steps }))).toEqual({ ...NOT_PRESENT, components: ['policy-mgmt', 'lifecycle'] });
  });

  it.each([
    {
      name: 'waits',
      steps: [aStep('lifecycle', { problems: [PAUSED] })],
      want: 'It would be taken, and wait where it is said',
    },
    {
      name: 'is done',
      steps: [aStep('lifecycle', { action: 'Stay', moves: [] })],
      want: 'Nothing to do: all services have it',
    },
  ])('says when all $name', ({ steps, want }) => {
    expect(upgradePlanLines(aPlan({ steps })).at(-1)).toBe(want);
    expect(refusalOf(aPlan({ steps }))).toBeUndefined();
  });

  it('shows a release that closes a hole, and what was tried before', () => {
    const release = {
      ...{ channel: 'stable', releasedAt: '2026-11-21T00:00:00Z', isSecurity: true, summary: 'Closes a hole' },
      ...{ downgradeTo: '0.1.0', notes: 'https://crate.example/0.2.0' },
    };
    const text = upgradePlanLines(aPlan({ release, steps: [aStep('lifecycle', { hasFailed: true })] })).join('\n');
    expect(text).toContain('To 0.2.0 (stable, of 2026-11-21, security): Closes a hole');
    expect(text).toContain('Skew: reached from any version, and');
    expect(text).toContain('Way back: by setting a version from 0.1.0 on');
    expect(text).toContain('Notes: https://crate.example/0.2.0');
    expect(text).toContain('Upgrade (again: it was taken back before)');
  });
});
