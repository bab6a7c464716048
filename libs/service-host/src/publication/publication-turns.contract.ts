import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PublicationClaim, PublicationTurns } from './publication-turns.js';

/** Turns whose clock a test can move. */
export interface PublicationTurnsFixture {
  readonly turns: PublicationTurns;
  /** Makes what is stored look so much older. */
  readonly age: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What all turns do. */
export function publicationTurnsContract(name: string, open: () => Promise<PublicationTurnsFixture>): void {
  describe(`${name} as turns of publications`, () => {
    let fixture: PublicationTurnsFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    const take = (release: string, claim: Partial<PublicationClaim> = {}): Promise<boolean> =>
      fixture.turns.take({ release, isStart: false, patienceMs: 60_000, ...claim }, (counts) =>
        Promise.resolve(counts),
      );
    const start = (release: string): Promise<boolean> => take(release, { isStart: true });

    it('lets the release count that started last, newer or older', async () => {
      expect(await start('1')).toBe(true);
      expect(await start('2')).toBe(true);
      expect([await take('1'), await take('2')]).toEqual([false, true]);
      expect(await start('1')).toBe(true);
      expect([await take('2'), await take('1')]).toEqual([false, true]);
    });

    it('lets another count once the one that did has not come back for long', async () => {
      await start('1');
      await start('2');
      await fixture.age(50_000);
      await take('2');
      await fixture.age(50_000);
      expect(await take('1')).toBe(false);
      await fixture.age(20_000);
      expect([await take('1'), await take('2')]).toEqual([true, false]);
    });

    it('takes for published only what was', async () => {
      await start('1');
      const failed = fixture.turns.take({ release: '2', isStart: true, patienceMs: 60_000 }, () =>
        Promise.reject(new Error('away')),
      );
      await expect(failed).rejects.toThrow('away');
      expect(await take('1')).toBe(true);
    });

    it('lets one publish after the other', async () => {
      const log: string[] = [];
      const publish = (release: string): Promise<void> =>
        fixture.turns.take({ release, isStart: true, patienceMs: 60_000 }, async () => {
          log.push(`begin ${release}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
          log.push(`end ${release}`);
        });
      await Promise.all([publish('1'), publish('2')]);
      const [first] = log[0]!.split(' ').slice(1);
      const second = first === '1' ? '2' : '1';
      expect(log).toEqual([`begin ${first}`, `end ${first}`, `begin ${second}`, `end ${second}`]);
    });
  });
}
