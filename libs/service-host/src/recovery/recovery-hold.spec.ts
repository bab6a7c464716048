import { describe, expect, it } from '@jest/globals';
import { heldByRecovery, RecoveryHold } from './recovery-hold.js';

const NORMAL = { find: () => Promise.resolve(undefined) };
const SET_BACK = { find: () => Promise.resolve({ epoch: 1, begunAt: new Date(), reason: 'older' }) };

describe('RecoveryHold', () => {
  it('holds what it is asked about, and says what ends that', async () => {
    await expect(new RecoveryHold(SET_BACK).check('Node a would leave')).rejects.toMatchObject({
      code: 'Forbidden',
      retry: 'slow',
      message: 'Node a would leave, and the database was set back to an older point',
      details: { reason: 'Recovering', remedy: expect.stringContaining('crate recovery confirm') },
    });
  });

  it('holds deletions, whatever was asked for when', async () => {
    await expect(new RecoveryHold(SET_BACK).deletionPhase()).rejects.toThrow('The deletion is held');
  });

  it('is open in normal operation', async () => {
    const hold = new RecoveryHold(NORMAL);
    expect(await hold.isClosed()).toBe(false);
    await expect(hold.check('Node a would leave')).resolves.toBeUndefined();
    expect(await hold.deletionPhase()).toEqual({ kind: 'settled' });
  });

  it('tells a remedy of its own where there is one', () => {
    expect(heldByRecovery('A', 'B').details.remedy).toBe('B');
  });
});
