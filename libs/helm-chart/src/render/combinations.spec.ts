import { describe, expect, it } from '@jest/globals';
import { combinations } from './combinations.js';

describe('combinations', () => {
  const names = combinations().map(([name]) => name);

  it('lets every two choices meet', () => {
    for (const [one, other] of [
      ['postgres=bundled', 'nats=bundled'],
      ['scaling=keda', 'volumes=none'],
      ['network=open', 'secrets=external'],
      ['door=ingress', 'certificates=certManager'],
    ] as const) {
      expect(names.filter((name) => name.includes(one) && name.includes(other))).not.toEqual([]);
    }
  });

  it('is the same each time, and not many', () => {
    expect(combinations().map(([name]) => name)).toEqual(names);
    expect(names.length).toBeLessThan(60);
  });
});
