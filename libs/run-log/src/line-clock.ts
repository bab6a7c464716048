const MICROSECONDS = 1000;

/** Times of lines: microseconds, and each later than the one before, so that a line is told apart by its time. */
export class LineClock {
  private last = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** From here on times are later than this one, which a clock has given; readers come back with the last they have. */
  startAfter(time: string | undefined): void {
    const digits = /\.\d{3}(\d{3})Z$/.exec(time ?? '')?.[1] ?? '0';
    const last = Date.parse(time ?? '') * MICROSECONDS + Number(digits);
    if (last > this.last) this.last = last;
  }

  /** RFC 3339 with six digits; as text they sort as they are in time. */
  next(): string {
    this.last = Math.max(this.now() * MICROSECONDS, this.last + 1);
    const milliseconds = Math.floor(this.last / MICROSECONDS);
    const rest = String(this.last % MICROSECONDS).padStart(3, '0');
    return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
  }
}
