/** The end of a program's output: at most `maxCharacters` of it, whole lines only, and the last line in any case. */
export class RunLog {
  private readonly lines: string[] = [];
  private size = 0;
  private isNew = false;

  constructor(private readonly maxCharacters: number) {}

  append(line: string): void {
    this.lines.push(line);
    this.size += line.length + 1;
    this.isNew = true;
    while (this.size > this.maxCharacters && this.lines.length > 1) {
      this.size -= (this.lines.shift()?.length ?? 0) + 1;
    }
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  /** The text, if there is more of it than at the last call. */
  takeNews(): string | undefined {
    if (!this.isNew) return undefined;
    this.isNew = false;
    return this.text();
  }
}
