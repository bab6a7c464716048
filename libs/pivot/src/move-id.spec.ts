import { describe, expect, it } from '@jest/globals';
import { isMoveTo, newMoveId } from './move-id.js';

describe('the id of a move', () => {
  it('is a UUID, and another one for each move', () => {
    expect(newMoveId('1/2')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newMoveId('1/2')).not.toBe(newMoveId('1/2'));
  });

  it('tells the target that it was made for from every other', () => {
    const id = newMoveId('1/2');
    expect([isMoveTo(id, '1/2'), isMoveTo(id, '1/3'), isMoveTo(id, '2/2')]).toEqual([true, false, false]);
  });

  it('tells nothing where an older release made it', () => {
    expect(isMoveTo('5f0c1f5e-7d0a-4c39-9a2e-0d9f3b1a6c77', '1/2')).toBe(false);
  });
});
