import { REPLICA_BEAT_MS, REPLICA_SILENT_AFTER_MS } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import { lastWithin } from './last-within.js';
import { within } from './one-at-a-time.js';
import type { ReplicaIdentity } from './replica-identity.js';
import type { ReplicaRepository } from './replica.repository.js';
import type { ReplicaVitals, ReplicaVitalsReader } from './replica-vitals.js';

export interface ReplicaBeatOptions {
  readonly replica: ReplicaIdentity;
  readonly replicas: ReplicaRepository;
  readonly vitals: Pick<ReplicaVitalsReader, 'read'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}

/** The last word must not hold up the end of the process. */
const GOODBYE_MS = 1_000;
const BEATS_BETWEEN_SWEEPS = 12;

/** Says every few seconds in the database of the service that this process is there, and how it is. */
export class ReplicaBeat {
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private beats = 0;
  private isStopping = false;
  private isFailing = false;
  private readonly said = lastWithin<ReplicaVitals>(REPLICA_SILENT_AFTER_MS);

  constructor(private readonly options: ReplicaBeatOptions) {}

  /** Returns once it is said, or could not be. Called again: says it at once, since something has changed. */
  start(): Promise<void> {
    this.work = this.work.then(() => this.beat());
    return this.work;
  }

  /** What it said last; undefined once that is as old as what makes a replica count as silent. */
  get lastWord(): ReplicaVitals | undefined {
    return this.said(undefined);
  }

  /** Says that the process ends, unless the database is away: then it is silent from here on. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    const { replica, replicas } = this.options;
    const goodbye = this.work.then(() => replicas.stop(replica));
    await within(GOODBYE_MS, goodbye).catch(() => undefined);
  }

  /** One at a time: a database that hangs is not asked again and again. */
  private async beat(): Promise<void> {
    try {
      await this.say();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing && !this.isStopping) {
        this.options.logger.warn('Failing to say that this replica is there', { error });
      }
      this.isFailing = true;
    }
    if (this.isStopping) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.start(), this.options.everyMs ?? REPLICA_BEAT_MS);
    this.timer.unref();
  }

  private async say(): Promise<void> {
    const { replica, replicas, vitals } = this.options;
    const skewMs = await replicas.clockSkewMs();
    const word = await vitals.read(skewMs);
    await replicas.beat(replica, word);
    this.said(word);
    if (this.beats++ % BEATS_BETWEEN_SWEEPS === 0) await replicas.forgetGone(replica);
  }
}
