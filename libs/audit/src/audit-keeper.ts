import type { FileKeyStore } from '@crate/auth';
import type { Logger, Metrics } from '@crate/telemetry';
import type { AuditLog } from './audit-log.js';
import type { ChainLink } from './chain.js';
import { signCheckpoint } from './checkpoint.js';
import type { AuditRecord } from './record.js';
import { verifyChain } from './verify-chain.js';

export interface AuditKeeperOptions {
  readonly service: string;
  readonly log: AuditLog;
  readonly keys: Pick<FileKeyStore, 'signingKey' | 'findRecordKey'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How often the chain is looked at and signed. */
  readonly everyMs: number;
  /** Rows of calls longer ago are cut, by whole hours; 0: none. */
  readonly retentionMs: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Rows verified in one look; what is behind follows at the next. */
const MOST_ROWS = 100_000;
/** Old rows go by whole hours of UTC: each cut is a row itself, and nothing is gained by one a minute. */
const HOUR_MS = 3_600_000;

/**
 * Looks after the audit log of one service: verifies what came since the last look, signs a checkpoint that also goes to the log
 * (where it is out of the database's reach), and cuts what is too old. Any number of replicas may do so at once.
 */
export class AuditKeeper {
  private readonly now: () => Date;
  private readonly problems: ReturnType<Metrics['gauge']>;
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  /** Up to here the chain was found whole by this process. */
  private verified: ChainLink | undefined;

  constructor(private readonly options: AuditKeeperOptions) {
    this.now = options.now ?? (() => new Date());
    this.problems = options.metrics.gauge({
      name: 'crate_audit_chain_problems',
      help: 'Problems found in the audit log since its last checkpoint; anything but 0 is an alarm',
    });
    this.problems.set(0);
  }

  start(): void {
    this.timer = setInterval(() => this.lookSoon(), this.options.everyMs);
    this.timer.unref();
  }

  /** The last rows get their checkpoint. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.lookSoon();
    await this.work;
  }

  /** One look; public for tests. */
  async look(): Promise<void> {
    await this.checkpoint();
    await this.cutOld();
  }

  private lookSoon(): void {
    this.work = this.work
      .then(() => this.look())
      .catch((error: unknown) => this.options.logger.warn('Failing to look after the audit log', { error }));
  }

  private async checkpoint(): Promise<void> {
    const { service, log, keys, logger } = this.options;
    // What was found whole, at first the last checkpoint.
    const from = this.verified ?? (await log.lastCheckpoint());
    const { upTo, problems, checked } = await verifyChain({ log, keys, ...(from ? { from } : {}), limit: MOST_ROWS });
    this.problems.set(problems.length);
    for (const { seq, message } of problems) logger.error('The audit log is damaged', { seq, problem: message });
    // What is damaged is not signed for; the alarm stays until somebody looked into it.
    if (problems.length > 0 || checked === 0) return;
    const signed = signCheckpoint({ ...upTo, service, time: this.now().toISOString() }, keys);
    await log.addCheckpoint(signed);
    this.verified = upTo;
    const { seq, hash, kid, signature } = signed;
    logger.info('Audit checkpoint', { seq, hash, kid, signature });
  }

  private async cutOld(): Promise<void> {
    const { log, retentionMs, logger } = this.options;
    if (retentionMs === 0) return;
    // A clock that is ahead, of whichever host, must not make young rows old.
    const oldest = Math.min(this.now().getTime(), (await log.now()).getTime()) - retentionMs;
    const before = new Date(oldest - (oldest % HOUR_MS)).toISOString();
    const last = await log.lastBefore(before);
    if (last === undefined) return;
    if (await log.cut(last, this.cutRecord())) logger.info('Cutting old rows of the audit log', { upTo: last, before });
  }

  private cutRecord(): AuditRecord {
    const { service } = this.options;
    const time = this.now().toISOString();
    const type = { group: '', resource: 'auditevents', project: '' };
    const who = { user: `system:${service}`, groups: [], traceId: '' };
    return { time, service, ...who, verb: 'cut', ...type, decision: 'allowed', code: 200, reason: 'Retention' };
  }
}
