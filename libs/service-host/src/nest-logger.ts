import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@crate/telemetry';

/** Nest's own messages in our format; what Nest tells about wiring is for debugging only. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug('Nest reports', { text: String(message), details });
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.log(message, ...details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.log(message, ...details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn('Nest warns', { text: String(message), details });
  }

  error(message: unknown, ...details: unknown[]): void {
    this.logger.error('Nest reports an error', { text: String(message), details });
  }
}
