/** So many pieces of work at a time, first come, first served. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Throws what the work throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  /** To the first in line, without becoming free in between. */
  private passOn(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
