/** Where a line of a log is: when it was printed, and by whom where several are read as one. */
export interface LogPlace {
  /** As `timestamps=true` has it; empty: none. */
  readonly time: string;
  /** Empty: the log is that of one. */
  readonly source: string;
}

/** Services store what they print in bursts, and their clocks differ: a line of one may come behind a later one of another. */
const LATE_MS = 10_000;

/** How far somebody has read who follows a log, which may be several read as one, and goes on there after a break. */
export class LogReach {
  private first: string | undefined;
  private last: string | undefined;
  private readonly lastOf = new Map<string, string>();

  /** Says that a line was read. */
  add({ time, source }: LogPlace): void {
    if (time === '') return;
    this.first ??= time;
    this.last = time;
    this.lastOf.set(source, time);
  }

  /** The time to ask from, as `sinceTime` takes it; undefined before the first line. */
  since(): string | undefined {
    return this.last === undefined ? undefined : new Date(Date.parse(this.last) - LATE_MS).toISOString();
  }

  /** Tells apart, in an answer from there, what is new from what was read by now. Lines without a time are new. */
  beyond(): (place: LogPlace) => boolean {
    const [first, lastOf] = [this.first ?? '', new Map(this.lastOf)];
    return ({ time, source }) => time === '' || time > (lastOf.get(source) ?? first);
  }
}
