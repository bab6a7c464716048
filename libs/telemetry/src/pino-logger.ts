import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import { currentContext } from './context.js';
import { errorFields } from './error-fields.js';
import { Logger, type LogFields, type LogLevel } from './logger.js';
import { Redactor } from './redactor.js';

export interface PinoLoggerOptions {
  /** The service's name, on every line. */
  readonly service: string;
  /** Lines below it are dropped. Default `info`. */
  readonly level?: LogLevel;
  /** Shared with whoever learns of secret values. */
  readonly redactor?: Redactor;
  /** Default: standard output, written synchronously so that the last lines before a crash are not lost. */
  readonly destination?: DestinationStream;
}

/** The production logger: JSON lines by pino. */
export class PinoLogger extends Logger {
  private constructor(
    private readonly sink: Pino,
    private readonly redactor: Redactor,
  ) {
    super();
  }

  static create(options: PinoLoggerOptions): PinoLogger {
    const { service, level = 'info', redactor = new Redactor() } = options;
    const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
    const sink = pino(
      {
        level,
        base: { service },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
    return new PinoLogger(sink, redactor);
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

  child(bindings: LogFields): PinoLogger {
    return new PinoLogger(this.sink.child(this.clean(bindings)), this.redactor);
  }

  private write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.sink.isLevelEnabled(level)) return;
    this.sink[level]({ ...currentContext(), ...this.clean(fields) }, this.redactor.redactText(message));
  }

  private clean(fields: LogFields): Record<string, unknown> {
    const plain = fields.error === undefined ? fields : { ...fields, error: errorFields(fields.error) };
    return this.redactor.redact(plain) as Record<string, unknown>;
  }
}
