const DEFAULT_MAX_CHARACTERS = 256 * 1024;

/** The end of a run's output, bounded; whole lines only. */
export class RunLog {
  private readonly lines: string[] = [];
  private size = 0;

  constructor(private readonly maxCharacters = DEFAULT_MAX_CHARACTERS) {}

  append(line: string): void {
    this.lines.push(line);
    this.size += line.length + 1;
    while (this.size > this.maxCharacters && this.lines.length > 1) {
      this.size -= (this.lines.shift()?.length ?? 0) + 1;
    }
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }
}
