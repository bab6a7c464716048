/** Node's timers overflow beyond this and fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Lets any number of waiters sleep until somebody wakes them all. */
export class WakeUp {
  private readonly sleepers = new Set<() => void>();

  wakeAll(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  /** Resolves on the next `wakeAll`, when the signal aborts, or after the time given; does not say which. */
  async wait(signal: AbortSignal, timeoutMs: number): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.sleepers.delete(wake);
        signal.removeEventListener('abort', wake);
        clearTimeout(timer);
        resolve();
      };
      const timer = timeoutMs < LONGEST_TIMER_MS ? setTimeout(wake, timeoutMs) : undefined;
      signal.addEventListener('abort', wake);
      this.sleepers.add(wake);
    });
  }
}
