import type { PlatformStatus } from '@crate/api';
import { composeStatus, type OwnFacts } from './compose-status.js';
import type { ServiceAnswers } from './service-answers.js';

export interface StatusReaderOptions {
  readonly answers: Pick<ServiceAnswers, 'ask'>;
  readonly own: () => Promise<Omit<OwnFacts, 'at'>>;
  readonly now?: () => number;
}

/** However many look, services are asked once in this time. */
const KEPT_MS = 1_000;
/** How often it is looked though nobody asks, so that what a service said last is never long ago. */
const EVERY_MS = 15_000;

/** How the platform is, at most a second old. */
export class StatusReader {
  private readonly now: () => number;
  private last: { readonly at: number; readonly status: PlatformStatus } | undefined;
  private underWay: Promise<PlatformStatus> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: StatusReaderOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  start(): void {
    const look = (): void => void this.read().catch(() => undefined);
    this.timer = setInterval(look, EVERY_MS);
    this.timer.unref();
    look();
  }

  /** What is being asked is waited for. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.underWay?.catch(() => undefined);
  }

  /** Who comes while services are asked gets the same answer. */
  async read(): Promise<PlatformStatus> {
    if (this.last && this.now() - this.last.at < KEPT_MS) return this.last.status;
    return (this.underWay ??= this.look().finally(() => (this.underWay = undefined)));
  }

  private async look(): Promise<PlatformStatus> {
    const { answers, own } = this.options;
    const [told, facts] = await Promise.all([answers.ask(), own()]);
    const status = composeStatus(told, { ...facts, at: new Date() });
    this.last = { at: this.now(), status };
    return status;
  }
}
