import { describe, expect, it } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { wishOf } from './plan-wish.js';

const asked = (spec: object = {}): object => ({
  namespace: 'team-a',
  name: 'demo',
  spec: { ...aSpec('demo'), ...spec },
  labels: { team: 'a' },
});

describe('a wish for a plan', () => {
  it('has the labels and the defaults that the Infrastructure would have', () => {
    expect(wishOf(asked({ drift: undefined }))).toMatchObject({
      name: 'demo',
      destroy: false,
      labels: { team: 'a' },
      spec: { drift: { policy: 'observe' } },
    });
  });

  it('names every bad field', () => {
    expect(() => wishOf(asked({ region: 5, drift: { policy: 'guess' } }))).toThrow(
      expect.objectContaining({
        code: 'InvalidSpec',
        details: expect.objectContaining({
          causes: [
            expect.objectContaining({ field: 'spec.region' }),
            expect.objectContaining({ field: 'spec.drift.policy' }),
          ],
        }),
      }),
    );
  });

  it('of a newer release waits for that release, and says what is not known', () => {
    expect(() => wishOf(asked({ budget: 1 }))).toThrow(
      expect.objectContaining({
        code: 'Unavailable',
        message: expect.stringContaining('unknown field "spec.budget"'),
      }),
    );
  });
});
