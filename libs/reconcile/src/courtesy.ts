import type { Scheduler } from './scheduler.js';

/** Above this share of its time a process has too much to do for requests and passes alike. */
const BUSY = 0.6;
/** Long enough for a share to mean something. */
const SAMPLE_MS = 50;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;
/** Passes that may begin together while pauses are left. */
export const PASSES_A_TURN = 4;

/**
 * Lets passes give way to requests: somebody waits for those. While the process is busy, passes begin a few at a time with pauses in between, which
 * grow and shrink with what there is to do; 80 a second may always begin.
 */
export class Courtesy {
  private current = 0;
  private sampledAt = 0;

  constructor(private readonly scheduler: Scheduler) {}

  /** To be left before further passes begin; 0 while there is time for all. Looks anew when its last look is too old. */
  pauseMs(): number {
    const now = this.scheduler.now();
    if (now - this.sampledAt < SAMPLE_MS) return this.current;
    this.sampledAt = now;
    if (this.scheduler.busyShare() > BUSY) {
      this.current = Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.current), LONGEST_PAUSE_MS);
    } else {
      this.current = this.current > FIRST_PAUSE_MS ? this.current / 2 : 0;
    }
    return this.current;
  }
}
