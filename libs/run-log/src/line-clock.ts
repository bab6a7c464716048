const MICROSECONDS = 1000;

/** Times of lines: microseconds, and each later than the one before, so that a line is told apart by its time. */
export class LineClock {
  private last = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** RFC 3339 with six digits; as text they sort as they are in time. */
  next(): string {
    this.last = Math.max(this.now() * MICROSECONDS, this.last + 1);
    const milliseconds = Math.floor(this.last / MICROSECONDS);
    const rest = String(this.last % MICROSECONDS).padStart(3, '0');
    return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
  }
}
