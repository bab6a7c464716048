/** Ends a request that nothing comes of any more: of a connection that died, as while a laptop slept, nobody says so. */
export class Silence {
  private readonly own = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly end = (): void => this.own.abort(new Error('Nothing comes any more'));

  /** `outer` ends the request, too. */
  constructor(
    private readonly outer: AbortSignal,
    private readonly longestMs: number,
  ) {
    outer.addEventListener('abort', this.end);
    this.heard();
  }

  /** What the request is made with. */
  get signal(): AbortSignal {
    return this.own.signal;
  }

  /** Whether that was why it ended. */
  get wasTooLong(): boolean {
    return this.own.signal.aborted && !this.outer.aborted;
  }

  /** Something came. */
  readonly heard = (): void => {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.end, this.longestMs);
  };

  /** The request is over. */
  close(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.end);
  }
}
