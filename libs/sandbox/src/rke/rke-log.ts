/** Writes lines the way the engine's logger does on a terminal: level, seconds since start, message. */
export class RkeLog {
  private readonly startedAt = Date.now();

  constructor(private readonly write: (line: string) => void) {}

  info(message: string): void {
    this.line('INFO', message);
  }

  warning(message: string): void {
    this.line('WARN', message);
  }

  /** The last line of a failed run; the caller then exits with code 1. */
  fatal(message: string): void {
    this.line('FATA', message);
  }

  private line(level: string, message: string): void {
    const seconds = Math.floor((Date.now() - this.startedAt) / 1000);
    this.write(`${level}[${String(seconds).padStart(4, '0')}] ${message.replaceAll('\n', ' ')}\n`);
  }
}
