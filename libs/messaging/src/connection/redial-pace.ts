const TURN_MS = 250;
const TURN_JITTER_MS = 750;

/** A pause with jitter, so that not all services come back at once. */
export function redialPauseMs(random: () => number = Math.random): number {
  return TURN_MS + random() * TURN_JITTER_MS;
}

/**
 * How long to wait before a server is dialled again: each once, then a pause with jitter. By a clock that nobody sets: the client's own pace
 * goes by the time of day, and after that was set back by ten minutes it dialled nobody for ten minutes.
 */
export class RedialPace {
  private turnEndsAt = -Infinity;
  private left = 0;

  constructor(
    private readonly servers: number,
    private readonly uptime: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  /** For `reconnectDelayHandler`: milliseconds since the last time, by the time of day; -Infinity says now, whatever that was. */
  readonly waitMs = (): number => {
    const now = this.uptime();
    if (now >= this.turnEndsAt) {
      this.turnEndsAt = now + redialPauseMs(this.random);
      this.left = this.servers;
    }
    if (this.left === 0) return this.turnEndsAt - now;
    this.left -= 1;
    return -Infinity;
  };
}
