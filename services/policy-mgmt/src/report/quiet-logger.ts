import { Logger, type LogFields } from '@crate/telemetry';

/** Says as a detail what others say as a warning: a rule that cannot be evaluated is in every report, and was logged when it was met. */
export class QuietLogger extends Logger {
  constructor(private readonly inner: Logger) {
    super();
  }

  override debug(message: string, fields?: LogFields): void {
    this.inner.debug(message, fields);
  }

  override info(message: string, fields?: LogFields): void {
    this.inner.debug(message, fields);
  }

  override warn(message: string, fields?: LogFields): void {
    this.inner.debug(message, fields);
  }

  override error(message: string, fields?: LogFields): void {
    this.inner.error(message, fields);
  }

  override child(bindings: LogFields): Logger {
    return new QuietLogger(this.inner.child(bindings));
  }
}
