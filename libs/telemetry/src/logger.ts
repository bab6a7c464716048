/** Levels in rising order; a logger drops lines below its own. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Fields of one line: camelCase keys. `error` is written with its code, message and causes. */
export interface LogFields {
  readonly error?: unknown;
  readonly [key: string]: unknown;
}

/**
 * Writes one JSON object a line. The message is constant (capital first, no dot); what varies goes into fields.
 * The current telemetry context is on every line, and secrets are taken out. Never throws.
 */
export abstract class Logger {
  abstract debug(message: string, fields?: LogFields): void;
  abstract info(message: string, fields?: LogFields): void;
  abstract warn(message: string, fields?: LogFields): void;
  abstract error(message: string, fields?: LogFields): void;
  /** A logger that adds `bindings` to every line. */
  abstract child(bindings: LogFields): Logger;
}
