/**
 * Looks at something for many who ask at the same time: one look is under way, and whoever asks meanwhile shares the next. A look always
 * begins after it was asked for, so that it sees everything that was acknowledged before. The more there is to do the more share one.
 */
export class SharedLook<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(
    private readonly look: () => Promise<T>,
    /** Nobody waits any more. */
    private readonly onIdle: () => void = () => undefined,
  ) {}

  /** What the look finds; rejects for all who share a look that fails. */
  ask(): Promise<T> {
    if (!this.current) return this.begin();
    const begin = (): Promise<T> => this.begin();
    this.next ??= this.current.then(begin, begin);
    return this.next;
  }

  private begin(): Promise<T> {
    this.next = undefined;
    const current = this.look();
    this.current = current;
    const end = (): void => {
      if (this.next) return;
      this.current = undefined;
      this.onIdle();
    };
    current.then(end, end);
    return current;
  }
}
