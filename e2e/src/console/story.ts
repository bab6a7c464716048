import { it } from '@jest/globals';
import type { Visitor } from './visitor.js';

/** Tests that stand on what the ones before them did: after one that failed, nothing is tried. */
export function story(visitor: () => Visitor): (name: string, tell: () => Promise<void>) => void {
  let broken: string | undefined;
  return (name, tell) =>
    it(name, async () => {
      if (broken !== undefined) throw new Error(`Not tried, because this failed before: ${broken}`);
      try {
        await tell();
      } catch (error) {
        broken = name;
        await visitor().picture('failed');
        throw error;
      }
    });
}
