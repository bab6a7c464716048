const WORD = 2 ** 32;

/**
 * A generator of random numbers (sfc32) that gives the same row for the same seed, on every machine. Good for choosing
 * what to break, not for secrets.
 */
export class Prng {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.a = seed >>> 0;
    this.b = Math.floor(seed / WORD) >>> 0;
    this.c = 0x9e3779b9;
    // The first words still show the seed.
    for (let round = 0; round < 15; round += 1) this.word();
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    return this.word() / WORD;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  private word(): number {
    const sum = (this.a + this.b + this.counter) >>> 0;
    this.counter = (this.counter + 1) >>> 0;
    this.a = (this.b ^ (this.b >>> 9)) >>> 0;
    this.b = (this.c + (this.c << 3)) >>> 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) >>> 0;
    return sum;
  }
}
