import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformStatus } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { upgradeOf, type Upgrade } from './newest-release.js';
import { newerUnread, unreadWords, type Channel, type ReleaseIndex, type UnreadRelease } from './release-index.js';
import type { ReleaseSource } from './release-source.js';

type UpgradeStatus = PlatformStatus['upgrade'];

export interface ReleaseWatchOptions {
  /** Absent: no index is configured. */
  readonly source: Pick<ReleaseSource, 'read'> | undefined;
  readonly version: string;
  readonly channel: Channel;
  readonly everyMs: number;
  readonly logger: Logger;
  readonly now?: () => Date;
}

/** A first failure may pass soon. */
const SOONEST_MS = 60_000;

const NO_INDEX: UpgradeStatus = {
  available: null,
  reason: 'NoReleaseIndex',
  message:
    'No index of releases is configured (CRATE_RELEASES_INDEX), so nobody knows whether there is a newer version',
};

/** Knows whether there is a newer release; what was read last counts until it expires. */
export class ReleaseWatch {
  private readonly stopping = new AbortController();
  private readonly now: () => Date;
  private index: ReleaseIndex | undefined;
  private failure: string | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: ReleaseWatchOptions) {
    this.now = options.now ?? (() => new Date());
  }

  start(): void {
    if (this.options.source) this.work = this.follow(this.options.source);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /** As the status of the platform has it. */
  status(): UpgradeStatus {
    if (!this.options.source) return NO_INDEX;
    const { version, channel } = this.options;
    if (!this.index) return unknown(this.failure ?? 'The index of releases has not been read yet');
    const { expiresAt } = this.index;
    if (Date.parse(expiresAt) <= this.now().getTime()) {
      return unknown(this.failure ?? `The index of releases expired on ${expiresAt}`);
    }
    const upgrade = upgradeOf(this.index, { version, channel });
    const beyond = newerUnread(this.index, { version, channel });
    const status = upgrade ? availableOf(upgrade) : noneOf(beyond, { version, channel });
    const unread = unreadWords(this.index);
    return unread === undefined ? status : { ...status, message: `${status.message}; ${unread}` };
  }

  /** What is offered; undefined while nobody knows, or what is known has expired. */
  current(): ReleaseIndex | undefined {
    const isOver = this.index && Date.parse(this.index.expiresAt) <= this.now().getTime();
    return isOver ? undefined : this.index;
  }

  private async follow(source: Pick<ReleaseSource, 'read'>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look(source);
      const { everyMs } = this.options;
      const pauseMs = this.failure === undefined ? everyMs : Math.min(everyMs, SOONEST_MS);
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async look(source: Pick<ReleaseSource, 'read'>): Promise<void> {
    try {
      this.index = await source.read();
      this.failure = undefined;
    } catch (error) {
      if (!isPlatformError(error)) throw error;
      if (this.failure === undefined) this.options.logger.warn('Failing to read the index of releases', { error });
      this.failure = error.message;
    }
  }
}

function availableOf({ next, newest, isSecurity }: Upgrade): UpgradeStatus {
  const { version, channel, releasedAt, summary, notes } = next;
  const told = { ...(summary === undefined ? {} : { summary }), ...(notes === undefined ? {} : { notes }) };
  const closes = isSecurity ? ', and closes a security hole' : '';
  const further = newest.version === version ? '' : `; ${newest.version} is reached from there`;
  return {
    available: { version, channel, releasedAt, isSecurity, newest: newest.version, ...told },
    reason: isSecurity ? 'SecurityUpgradeAvailable' : 'UpgradeAvailable',
    message: `Version ${version} is there${closes}${further}`,
  };
}

/** Whatever may be newer and cannot be read keeps this version from being the newest. */
function noneOf(
  beyond: readonly UnreadRelease[],
  { version, channel }: { readonly version: string; readonly channel: Channel },
): UpgradeStatus {
  if (beyond.length === 0)
    return { available: null, reason: 'UpToDate', message: `${version} is the newest of the channel ${channel}` };
  const message = `Nothing newer than ${version} can be read`;
  if (!beyond.some(({ isSecurity }) => isSecurity)) return { available: null, reason: 'ReleaseUnreadable', message };
  const closes = `${message}, and what cannot closes a security hole`;
  return { available: null, reason: 'SecurityReleaseUnreadable', message: closes };
}

function unknown(message: string): UpgradeStatus {
  return { available: null, reason: 'IndexUnreadable', message };
}
