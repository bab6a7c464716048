import { describe, expect, it } from '@jest/globals';
import { RecoveryGate } from './recovery-gate.js';

const OPEN = { find: () => Promise.resolve(undefined) };
const SET_BACK = {
  find: () => Promise.resolve({ epoch: 1, begunAt: new Date('2026-03-01T12:00:00Z'), reason: 'older' }),
};
const OLD = { metadata: { creationTimestamp: '2026-03-01T11:00:00Z' } };

const aKeyPair = (actions: readonly string[]): Record<string, unknown> => ({
  resource_changes: [{ address: 'aws_key_pair.key-pair', change: { actions } }],
});

function planOf(actions: readonly string[][], gone = 0): Record<string, unknown> {
  const change = (each: readonly string[], index: number): unknown => ({
    address: `aws_instance.a${index}`,
    change: { actions: each },
  });
  return {
    resource_changes: actions.map(change),
    resource_drift: Array.from({ length: gone }, (_, index) => change(['delete'], index)),
  };
}

describe('RecoveryGate', () => {
  it.each([
    { name: 'a destroy', reason: 'it may have been made by a wish that was lost', plan: planOf([['delete']]) },
    { name: 'a key pair that goes', reason: 'it may have been made by such a wish', plan: aKeyPair(['delete']) },
    { name: 'a replacement', reason: 'it ends what runs', plan: planOf([['create'], ['delete', 'create']]) },
    { name: 'a replacement, new one first', reason: 'it ends what runs', plan: planOf([['create', 'delete']]) },
    { name: 'making again what is gone', reason: 'it may have been deleted since', plan: planOf([['create']], 1) },
  ])('holds $name while recovering', async ({ plan }) => {
    await expect(new RecoveryGate(SET_BACK).checkPlan(plan, OLD)).rejects.toMatchObject({
      code: 'Forbidden',
      details: { reason: 'Recovering', remedy: expect.stringContaining('crate recovery confirm') },
    });
    await expect(new RecoveryGate(OPEN).checkPlan(plan, OLD)).resolves.toBeUndefined();
  });

  it('lets what was made since the restore go, all of which is known', async () => {
    const made = { metadata: { creationTimestamp: '2026-03-01T13:00:00Z' } };
    await expect(new RecoveryGate(SET_BACK).checkPlan(planOf([['delete']]), made)).resolves.toBeUndefined();
  });

  it('says how much it is about', async () => {
    const check = new RecoveryGate(SET_BACK).checkPlan(planOf([['delete'], ['delete'], ['update']], 1), OLD);
    await expect(check).rejects.toThrow(/2 resources would be destroyed.*1 resource that the record knows is gone/);
  });

  it.each([
    { name: 'what is new', plan: planOf([['create'], ['create']]) },
    { name: 'what changes in place', plan: planOf([['update'], ['no-op'], ['read']]) },
    { name: 'a plan without changes', plan: {} },
    { name: 'a key pair made anew, as each adopted one is', plan: aKeyPair(['delete', 'create']) },
  ])('lets $name pass', async ({ plan }) => {
    await expect(new RecoveryGate(SET_BACK).checkPlan(plan, OLD)).resolves.toBeUndefined();
  });
});
