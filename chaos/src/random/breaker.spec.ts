import { describe, expect, it } from '@jest/globals';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { Breaker } from './breaker.js';

const DOWN = { break: 'nats-down', forMs: 3_600_000 } as const;

/** A platform whose NATS goes away, or does not, each time that it is asked to. */
function aPlatform(goesAway: readonly boolean[]): { readonly platform: ChaosPlatform; readonly said: string[] } {
  const said: string[] = [];
  const answers = [...goesAway];
  const platform: Partial<Record<keyof ChaosPlatform, unknown>> = {
    proxy: { hooks: {} },
    disks: { terraform: 'none', postgres: 'none' },
    pids: () => Promise.resolve({}),
    setClocks: () => Promise.resolve(),
    giveNatsBack: () => Promise.resolve(void said.push('back')),
    takeNatsAway: async () => {
      said.push('away');
      if (!answers.shift()) throw new Error('the disk is full');
    },
  };
  return { platform: platform as ChaosPlatform, said };
}

/** What becomes of NATS that is broken so often, and healed. */
async function fateOf(...goesAway: readonly boolean[]): Promise<readonly string[]> {
  const { platform, said } = aPlatform(goesAway);
  const breaker = new Breaker(platform, () => undefined);
  for (const _ of goesAway) breaker.begin(DOWN);
  await breaker.heal();
  return said;
}

describe('what is broken for a while', () => {
  it.each([
    { reason: 'twice, and ends once, with the last', goesAway: [true, true], want: ['away', 'away', 'back'] },
    { reason: 'again after it could not be', goesAway: [false, true], want: ['away', 'away', 'back'] },
    { reason: 'not wholly, so that it is mended all the same', goesAway: [false], want: ['away', 'back'] },
  ])('is broken $reason', async ({ goesAway, want }) => {
    expect(await fateOf(...goesAway)).toEqual(want);
  });
});
