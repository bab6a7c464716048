/** Time as the engine sees it; a test drives it by hand. */
export abstract class Scheduler {
  /** Milliseconds on a clock that never jumps; only differences mean anything. */
  abstract now(): number;
  /** Calls back once, `delayMs` from now; the returned function prevents it. */
  abstract after(delayMs: number, callback: () => void): () => void;
  /** Share of the time since the last call in which this process had something to do: 0 to 1. */
  abstract busyShare(): number;
}

// Beyond this setTimeout fires at once.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The real clock. Its timers do not keep the process alive. */
export class SystemScheduler extends Scheduler {
  private seen = performance.eventLoopUtilization();

  now(): number {
    return performance.now();
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_TIMEOUT_MS)).unref();
    return () => clearTimeout(timer);
  }

  override busyShare(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.seen);
    this.seen = now;
    return utilization;
  }
}
