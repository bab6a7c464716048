const REMIND_MS = 300_000;

/** Which failures of something that is tried again and again are worth a line: each cause once, and again every five minutes while it lasts. */
export class FailureNews {
  private readonly told = new Set<string>();
  private remindAt = 0;

  constructor(private readonly uptime: () => number = () => performance.now()) {}

  isNews(error: unknown): boolean {
    const now = this.uptime();
    if (now >= this.remindAt) {
      this.told.clear();
      this.remindAt = now + REMIND_MS;
    }
    const { message, cause } = error as Error;
    const text = `${message} ${(cause as Partial<Error> | undefined)?.message ?? ''}`;
    if (this.told.has(text)) return false;
    this.told.add(text);
    return true;
  }
}
