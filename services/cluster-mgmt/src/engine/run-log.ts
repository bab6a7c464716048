/** The end of a run's output, bounded; whole lines only. */
export class RunLog {
  private lines: string[] = [];
  private size = 0;

  constructor(private readonly maxChars = 128 * 1024) {}

  append(line: string): void {
    this.lines.push(line);
    this.size += line.length + 1;
    while (this.size > this.maxChars && this.lines.length > 1) {
      this.size -= (this.lines.shift()?.length ?? 0) + 1;
    }
  }

  text(): string {
    return this.lines.length === 0 ? '' : `${this.lines.join('\n')}\n`;
  }
}
