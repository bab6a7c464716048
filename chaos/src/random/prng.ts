import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

const SKIPPED = 16;

/** Random numbers that are the same for the same seed, on every machine. Good for choosing what to break, not for secrets. */
export class Prng {
  private readonly generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number) {
    this.generator = xoroshiro128plus(seed);
    // The first numbers of seeds beside each other are beside each other.
    for (let round = 0; round < SKIPPED; round += 1) this.generator.next();
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    return uniformFloat64(this.generator);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return uniformInt(this.generator, least, most);
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }
}
