/** The end of a run's output, bounded; whole lines only. */
export class RunLog {
  private readonly lines: string[] = [];
  private size = 0;
  private isNew = false;

  constructor(private readonly maxChars = 64 * 1024) {}

  append(line: string): void {
    this.lines.push(line);
    this.size += line.length + 1;
    this.isNew = true;
    while (this.size > this.maxChars && this.lines.length > 1) {
      this.size -= (this.lines.shift()?.length ?? 0) + 1;
    }
  }

  /** The text, if there is more of it than at the last call. */
  takeNews(): string | undefined {
    if (!this.isNew) return undefined;
    this.isNew = false;
    return `${this.lines.join('\n')}\n`;
  }
}
