import { describe, expect, it } from '@jest/globals';
import { heldByRecovery, RecoveryHold } from './recovery-hold.js';

const NORMAL = { find: () => Promise.resolve(undefined) };
const SET_BACK = {
  find: () => Promise.resolve({ epoch: 1, begunAt: new Date('2026-03-01T12:00:00Z'), reason: 'older' }),
};
const OLD = { metadata: { creationTimestamp: '2026-03-01T11:00:00Z' } };

describe('RecoveryHold', () => {
  it('holds what it is asked about, and says what ends that', async () => {
    await expect(new RecoveryHold(SET_BACK).check('Node a would leave')).rejects.toMatchObject({
      code: 'Forbidden',
      retry: 'slow',
      message: 'Node a would leave, and the database was set back to an older point',
      details: { reason: 'Recovering', remedy: expect.stringContaining('crate recovery confirm') },
    });
  });

  it('holds deletions, but for what was made since', async () => {
    const phase = new RecoveryHold(SET_BACK).deletionPhase((scope: typeof OLD) => scope);
    await expect(phase(OLD)).rejects.toThrow('The deletion is held');
    expect(await phase({ metadata: { creationTimestamp: '2026-03-01T12:00:01Z' } })).toEqual({ kind: 'settled' });
  });

  it('is open in normal operation', async () => {
    const hold = new RecoveryHold(NORMAL);
    expect(await hold.isClosed()).toBe(false);
    await expect(hold.check('Node a would leave')).resolves.toBeUndefined();
    expect(await hold.deletionPhase((scope: typeof OLD) => scope)(OLD)).toEqual({ kind: 'settled' });
  });

  it('tells a remedy of its own where there is one', () => {
    expect(heldByRecovery('A', 'B').details.remedy).toBe('B');
  });
});
