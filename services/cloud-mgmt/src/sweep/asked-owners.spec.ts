import type { CloudAccount, Infrastructure, SweepFinding } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { asking, isAskedToLook } from './asked-owners.js';

const infrastructure = { metadata: { uid: 'u1' } } as Infrastructure;
const asked = (uid: string, askedAfter?: string): CloudAccount =>
  ({ status: { sweep: { findings: [{ owner: { uid }, ...(askedAfter ? { askedAfter } : {}) }] } } }) as CloudAccount;
const run = (
  id: string,
  state: 'succeeded' | 'failed' = 'succeeded',
  hasBegun = true,
): Parameters<typeof isAskedToLook>[2] => ({ id, state, hasBegun });

describe('isAskedToLook', () => {
  it.each([
    { reason: 'nothing was found', account: {} as CloudAccount, last: run('run-1'), want: false },
    { reason: 'asked after the last run', account: asked('u1', 'run-1'), last: run('run-1'), want: true },
    { reason: 'a run has begun since', account: asked('u1', 'run-1'), last: run('run-2'), want: false },
    { reason: 'another one is asked', account: asked('u2', 'run-1'), last: run('run-1'), want: false },
    { reason: 'found, but not ripe yet', account: asked('u1'), last: run('run-1'), want: false },
    { reason: 'no run is known', account: asked('u1', 'none'), last: undefined, want: true },
    {
      reason: 'a run that failed is followed by one that looks anyway',
      account: asked('u1', 'run-1'),
      last: run('run-1', 'failed'),
      want: false,
    },
    {
      reason: 'asked after a run that was not let through, which may be followed by none',
      account: asked('u1', 'run-1'),
      last: run('run-1', 'failed', false),
      want: true,
    },
  ])('$want: $reason', ({ account, last, want }) => {
    expect(isAskedToLook(infrastructure, account, last)).toBe(want);
  });
});

describe('asking', () => {
  it('says after which run', () => {
    const findings = ['u1', 'u2'].map((uid) => ({ owner: { uid } }) as SweepFinding);
    const after = asking(findings, (uid) => (uid === 'u1' ? 'run-7' : undefined));

    expect(after.map(({ askedAfter }) => askedAfter)).toEqual(['run-7', 'none']);
  });
});
