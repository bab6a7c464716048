import type { SecretRenewal } from '@crate/secrets';
import type { Counter, Logger, Metrics } from '@crate/telemetry';

export interface KeyRotationOptions {
  readonly renewal: Pick<SecretRenewal, 'olderKeys' | 'run' | 'uses'>;
  /** How often it is looked whether there is something to do. */
  readonly everyMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Moves the service's secrets under the newest key-encryption key, whenever there is a newer one than they stand under.
 * Replicas may all do so: one does the work, the others look again later.
 */
export class KeyRotation {
  private readonly stopping = new AbortController();
  private readonly failures: Counter;
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private isAtIt = false;
  private missing: readonly string[] = [];

  constructor(private readonly options: KeyRotationOptions) {
    const { metrics } = options;
    const seen = new Set<string>();
    this.failures = metrics.counter({
      name: 'crate_secret_renewal_failures_total',
      help: 'Records that did not open when they were to be moved under the newest key, and looks that found a key missing',
    });
    metrics.gauge({
      name: 'crate_secret_records',
      help: 'Encrypted records by the key-encryption key they stand under',
      labels: ['key_id'],
      collect: async (gauge) => {
        for (const keyId of seen) gauge.set(0, { key_id: keyId });
        for (const { keyId, records } of await options.renewal.uses()) {
          seen.add(keyId);
          gauge.set(records, { key_id: keyId });
        }
      },
    });
  }

  start(): void {
    this.timer = setInterval(() => this.lookSoon(), this.options.everyMs);
    this.timer.unref();
  }

  /** The record at hand is finished; the rest follows at the next start. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.work;
  }

  private lookSoon(): void {
    if (this.isAtIt) return;
    this.isAtIt = true;
    this.work = this.look()
      .catch((error: unknown) => {
        if (!this.stopping.signal.aborted) this.options.logger.warn('Failing to renew secrets', { error });
      })
      .finally(() => (this.isAtIt = false));
  }

  private async look(): Promise<void> {
    const { renewal, logger } = this.options;
    const { present, missing } = await renewal.olderKeys();
    this.tellMissing(missing);
    if (present.length === 0) return;
    const done = await renewal.run({
      signal: this.stopping.signal,
      onProgress: (progress) => logger.info('Moving secrets under the newest key', { ...progress }),
      onFailure: (error, { ownerUid, kind, serial }) => {
        this.failures.add();
        logger.error('A secret does not open and stays under its key', { error, ownerUid, secretKind: kind, serial });
      },
    });
    if (done && done.renewed > 0) logger.info('All secrets that open stand under the newest key', { ...done });
  }

  /** Each is counted at every look, so that the alert stays, and told of once. */
  private tellMissing(missing: readonly string[]): void {
    for (const keyId of missing) {
      this.failures.add();
      if (this.missing.includes(keyId)) continue;
      this.options.logger.error('An encryption key is missing: what stands under it stays so, and cannot be read', {
        keyId,
      });
    }
    this.missing = missing;
  }
}
