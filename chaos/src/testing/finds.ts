import { expect, it } from '@jest/globals';
import { judge } from '../invariants/all.js';
import type { World } from '../world/world.js';
import { aWorld } from './a-world.js';

/** A world with something wrong in it, and how that is said. */
export interface Planted {
  readonly reason: string;
  readonly planted: Partial<World>;
  readonly message: RegExp;
}

/** Tests that the judge finds what is planted, and calls it a violation of that invariant. */
export function finds(invariant: string, rows: readonly Planted[]): void {
  it.each<Planted>(rows)('finds $reason', ({ planted, message }) => {
    const found = judge(aWorld(planted)).filter((violation) => violation.invariant === invariant);
    expect(found.map((violation) => violation.message)).toContainEqual(expect.stringMatching(message));
  });
}
