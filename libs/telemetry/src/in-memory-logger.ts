import { currentContext } from './context.js';
import { Logger, type LogFields, type LogLevel } from './logger.js';

/** A line as a test looks at it: fields keep their types, `error` is the thrown value itself. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps lines in memory, for tests. Children write to the same `lines`. */
export class InMemoryLogger extends Logger {
  constructor(
    readonly lines: LogLine[] = [],
    private readonly bindings: LogFields = {},
  ) {
    super();
  }

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  child(bindings: LogFields): InMemoryLogger {
    return new InMemoryLogger(this.lines, { ...this.bindings, ...bindings });
  }

  /** The lines of one level. */
  at(level: LogLevel): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  private write(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.bindings, ...currentContext(), ...fields } });
  }
}
