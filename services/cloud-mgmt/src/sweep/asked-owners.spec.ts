import type { CloudAccount, Infrastructure } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { isAskedToLook } from './asked-owners.js';

const infrastructure = { metadata: { uid: 'u1' } } as Infrastructure;
const asked = (uid: string, askedAt?: string): CloudAccount =>
  ({ status: { sweep: { findings: [{ owner: { uid }, ...(askedAt ? { askedAt } : {}) }] } } }) as CloudAccount;
const run = (at: string, state: 'succeeded' | 'failed' = 'succeeded'): { startedAt: Date; state: typeof state } => ({
  startedAt: new Date(at),
  state,
});

describe('isAskedToLook', () => {
  it.each([
    { reason: 'nothing was found', account: {} as CloudAccount, last: run('2026-01-01T10:00:00Z'), want: false },
    {
      reason: 'asked after the last run',
      account: asked('u1', '2026-01-01T11:00:00Z'),
      last: run('2026-01-01T10:00:00Z'),
      want: true,
    },
    {
      reason: 'a run has begun since',
      account: asked('u1', '2026-01-01T09:00:00Z'),
      last: run('2026-01-01T10:00:00Z'),
      want: false,
    },
    {
      reason: 'another one is asked',
      account: asked('u2', '2026-01-01T11:00:00Z'),
      last: run('2026-01-01T10:00:00Z'),
      want: false,
    },
    { reason: 'found, but not ripe yet', account: asked('u1'), last: run('2026-01-01T10:00:00Z'), want: false },
    { reason: 'no run is known', account: asked('u1', '2026-01-01T11:00:00Z'), last: undefined, want: true },
    {
      reason: 'a run that failed is followed by one that looks anyway',
      account: asked('u1', '2026-01-01T11:00:00Z'),
      last: run('2026-01-01T10:00:00Z', 'failed'),
      want: false,
    },
  ])('$want: $reason', ({ account, last, want }) => {
    expect(isAskedToLook(infrastructure, account, last)).toBe(want);
  });
});
