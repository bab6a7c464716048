import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformStatus } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import type { Marketplace } from './marketplace.js';
import { marketplaceStatus, type MarketplaceFacts } from './marketplace-status.js';
import type { UsageLedger } from './usage-ledger.js';

export interface UsageMeterOptions {
  readonly marketplace: Marketplace;
  readonly ledger: UsageLedger;
  readonly call: 'MeterUsage' | 'RegisterUsage';
  readonly dimension: string;
  readonly entitlements: boolean;
  /** Tells this process from others and from those before it. */
  readonly sender: string;
  readonly clusters: () => number;
  readonly everyMs: number;
  readonly logger: Logger;
  readonly now?: () => Date;
}

const CALL_MS = 15_000;

/**
 * Counts clusters and tells AWS Marketplace. Nothing waits for it: whatever fails here is told in the platform's status, and no
 * cluster is made, kept or refused by it.
 */
export class UsageMeter {
  private readonly stopping = new AbortController();
  private facts: MarketplaceFacts = {};
  private isRegistered = false;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: UsageMeterOptions) {}

  start(): void {
    this.work = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  status(): PlatformStatus['marketplace'] {
    return marketplaceStatus(this.facts, (this.options.now ?? (() => new Date()))());
  }

  /** One round. Never throws. */
  async round(): Promise<void> {
    try {
      await (this.options.call === 'MeterUsage' ? this.meter() : this.register());
      const clusters = this.options.clusters();
      const entitlements = this.options.entitlements
        ? { entitled: await this.options.marketplace.entitlements(this.deadline()) }
        : {};
      this.facts = { ...this.facts, ...entitlements, clusters, dimension: this.options.dimension, failure: undefined };
    } catch (error) {
      const failure = error instanceof Error ? error.message : 'Something failed';
      if (this.facts.failure === undefined) this.options.logger.warn('Failing to tell AWS Marketplace', { error });
      this.facts = { ...this.facts, failure };
    }
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.round();
      await delay(this.options.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async meter(): Promise<void> {
    const { ledger, dimension, clusters } = this.options;
    await ledger.count(dimension, clusters());
    await ledger.writeOff();
    try {
      await this.sendOpen();
    } finally {
      this.facts = { ...this.facts, ledger: await ledger.state(dimension) };
    }
  }

  private async sendOpen(): Promise<void> {
    const { ledger, marketplace, dimension, sender } = this.options;
    for (;;) {
      const usage = await ledger.claim(dimension, sender);
      if (!usage || this.stopping.signal.aborted) return;
      try {
        await ledger.settle(usage, 'Sent', await marketplace.meter(usage, this.deadline()));
      } catch (error) {
        // What may pass stays with this sender; a record that AWS does not want now it wants never.
        if (!isPlatformError(error) || error.code !== 'Forbidden') throw error;
        await ledger.settle(usage, 'Refused', error.message);
        throw error;
      }
    }
  }

  private async register(): Promise<void> {
    if (this.isRegistered) return;
    await this.options.marketplace.register(this.deadline());
    this.isRegistered = true;
    this.facts = { ...this.facts, isRegistered: true };
  }

  private deadline(): AbortSignal {
    return AbortSignal.any([this.stopping.signal, AbortSignal.timeout(CALL_MS)]);
  }
}
