/** Lets any number of waiters sleep until somebody wakes them all. */
export class WakeUp {
  private readonly sleepers = new Set<() => void>();

  wakeAll(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  /** Resolves on the next `wakeAll`, when the signal aborts, or after the time given; says which of them it was by no means. */
  async wait(signal: AbortSignal, timeoutMs: number | undefined): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.sleepers.delete(wake);
        signal.removeEventListener('abort', wake);
        clearTimeout(timer);
        resolve();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
      signal.addEventListener('abort', wake);
      this.sleepers.add(wake);
    });
  }
}
