import { describe, expect, it } from '@jest/globals';
import { Pace } from './judge-cluster.js';

/** Does nothing else for so long. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('Pace', () => {
  it('rests for as long as it worked, once it worked for a slice', async () => {
    const pace = new Pace(20);
    const startedAt = performance.now();
    pace.time(() => busy(30));
    await pace.giveWay();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(58);
  });

  it('lets others have their turn in between, however little it worked', async () => {
    const pace = new Pace(1000);
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    for (let document = 0; document < 20; document += 1) {
      pace.time(() => busy(2));
      await pace.giveWay();
    }
    clearInterval(other);
    expect(turns).toBeGreaterThan(5);
  });

  it('counts work that fails', async () => {
    const pace = new Pace(20);
    const startedAt = performance.now();
    const fail = (): never => {
      busy(30);
      throw new Error('no');
    };
    expect(() => pace.time(fail)).toThrow('no');
    await pace.giveWay();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(58);
  });
});
