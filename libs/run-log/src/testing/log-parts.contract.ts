import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LogParts, NewLogPart } from '../log-part.js';

/** What every keeper of parts does. */
export function logPartsContract(name: string, open: () => LogParts): void {
  describe(name, () => {
    let parts: LogParts;
    let owner: string;
    const [one, two] = [randomUUID(), randomUUID()];
    beforeEach(() => {
      parts = open();
      owner = randomUUID();
    });

    function part(run: string, firstLine: number, lineCount: number): NewLogPart {
      const time = (line: number): string => `2026-11-21T10:00:00.${String(line).padStart(6, '0')}Z`;
      const lines = Array.from({ length: lineCount }, (_, index) => firstLine + index);
      const body = lines.map((line) => `${time(line)} line ${line}\n`).join('');
      return { run, firstLine, lineCount, lastAt: time(firstLine + lineCount - 1), body };
    }

    it('gives parts in their order, from any place, a few at a time', async () => {
      const first = await parts.add(owner, part(one, 1, 2));
      const second = await parts.add(owner, part(one, 3, 1));
      await parts.add(randomUUID(), part(two, 1, 1));
      expect(await parts.after(owner, 0, { limit: 10 })).toEqual([
        { seq: first, ...part(one, 1, 2) },
        { seq: second, ...part(one, 3, 1) },
      ]);
      expect(await parts.after(owner, 0, { limit: 1 })).toMatchObject([{ seq: first }]);
      expect(await parts.after(owner, first, { limit: 10 })).toMatchObject([{ seq: second }]);
      const since = '2026-11-21T10:00:00.000002Z';
      expect(await parts.after(owner, 0, { limit: 10, since })).toMatchObject([{ seq: second }]);
    });

    it('finds where the last lines begin', async () => {
      const first = await parts.add(owner, part(one, 1, 5));
      const second = await parts.add(owner, part(one, 6, 2));
      expect(await parts.findTail(owner, 2)).toEqual({ seq: second, skip: 0 });
      expect(await parts.findTail(owner, 1)).toEqual({ seq: second, skip: 1 });
      expect(await parts.findTail(owner, 3)).toEqual({ seq: first, skip: 4 });
      expect(await parts.findTail(owner, 8)).toBeUndefined();
    });

    it('keeps their order whatever the number of digits of their places', async () => {
      for (let line = 1; line <= 120; line++) await parts.add(owner, part(one, line, 1));
      const found = await parts.after(owner, 0, { limit: 200 });
      expect(found.map(({ firstLine }) => firstLine)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect((await parts.findTail(owner, 25))?.seq).toBe(found[95]?.seq);
    });

    it('takes away single parts, old runs, and all of an owner, and nothing else', async () => {
      const first = await parts.add(owner, part(one, 1, 1));
      await parts.add(owner, part(one, 2, 1));
      await parts.add(owner, part(two, 1, 1));
      await parts.remove(owner, [first]);
      await parts.remove(owner, [first]);
      expect((await parts.after(owner, 0, { limit: 10 })).map(({ run }) => run)).toEqual([one, two]);
      await parts.removeOldRuns(owner, 1);
      expect((await parts.after(owner, 0, { limit: 10 })).map(({ run }) => run)).toEqual([two]);
      await parts.removeAll(randomUUID());
      expect(await parts.after(owner, 0, { limit: 10 })).toHaveLength(1);
      await parts.removeAll(owner);
      expect(await parts.after(owner, 0, { limit: 10 })).toEqual([]);
    });
  });
}
