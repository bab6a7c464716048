import type { Logger } from '@crate/telemetry';
import type { Outbox } from './outbox.js';

const EVERY_MS = 10 * 60_000;

/** Takes away what ended too long ago. Any number of replicas may do so at the same time. */
export class DeliveryLogRetention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: Pick<Outbox, 'clean'>,
    private readonly options: { readonly keepMs: number; readonly logger: Logger; readonly everyMs?: number },
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.clean());
    }, this.options.everyMs ?? EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async clean(): Promise<void> {
    try {
      await this.outbox.clean(this.options.keepMs);
    } catch (error) {
      this.options.logger.warn('Removing old deliveries from the log failed, trying again later', { error });
    }
  }
}
