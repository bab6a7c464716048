import { toStatus } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { AuditLog } from './audit-log.js';
import { recordOf, type Outcome } from './audit-record.js';
import { AuditedCall, runAsCall, type CallSubject } from './audited-call.js';
import type { AuditRecord } from './record.js';
import { Repetitions } from './repetitions.js';
import { endOfSecret } from './secret-end.js';

export interface CallRecorderOptions {
  readonly service: string;
  readonly log: AuditLog;
  readonly logger: Logger;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Sees to it that calls are in the audit log before they are answered. */
export class CallRecorder {
  private readonly repetitions = new Repetitions();
  private readonly now: () => Date;

  constructor(private readonly options: CallRecorderOptions) {
    this.now = options.now ?? (() => new Date());
  }

  /** A call that may change something. Its writes are recorded with their commit, or here when there were none. */
  async write<T>(subject: CallSubject, context: CallContext, work: () => Promise<T>): Promise<T> {
    const call = new AuditedCall(subject, context);
    try {
      const result = await runAsCall(call, work);
      if (!call.isWitnessed && isOnBehalf(context)) await this.append(subject, context, { code: codeOf(subject) });
      return result;
    } catch (error) {
      // Calls of people are recorded where they are answered, with the answer that they get.
      if (!isOnBehalf(context) && context.caller.service !== this.options.service) {
        await this.failure(subject, context, toStatus(error));
      }
      throw error;
    }
  }

  /** A call that gives a secret away: without a record, which says until when it is good, there is no answer. Throws Unavailable. */
  async secretRead<T>(subject: CallSubject, context: CallContext, work: () => Promise<T>): Promise<T> {
    const secret = await work();
    const message = endOfSecret(secret);
    await this.append(subject, context, { code: codeOf(subject), ...(message === undefined ? {} : { message }) });
    return secret;
  }

  /** A call that was refused or failed. The caller is told anyway; a record that cannot be stored goes to the log. */
  async failure(subject: CallSubject, context: CallContext, status: Outcome): Promise<void> {
    const { code, reason, message } = status;
    const outcome = { code, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    const record = this.record(subject, context, outcome);
    const isSingle = this.repetitions.isSingle(keyOf(subject, context, code), this.now().getTime(), (repeated) => {
      void this.appendOrLog({ ...record, time: this.now().toISOString(), repeated });
    });
    if (isSingle) await this.appendOrLog(record);
  }

  private async appendOrLog(record: AuditRecord): Promise<void> {
    try {
      await this.options.log.append([record]);
    } catch (error) {
      this.options.logger.error('Failing to append to the audit log', { error, record });
    }
  }

  private async append(subject: CallSubject, context: CallContext, outcome: Outcome): Promise<void> {
    await this.options.log.append([this.record(subject, context, outcome)]);
  }

  private record(subject: CallSubject, context: CallContext, outcome: Outcome): AuditRecord {
    return recordOf(subject, context, outcome, { service: this.options.service, now: this.now() });
  }
}

/** True when a person is behind the call, as opposed to a service at its own work. */
function isOnBehalf({ caller }: CallContext): boolean {
  return caller.service === undefined || caller.user !== `system:${caller.service}`;
}

function codeOf({ verb }: CallSubject): number {
  return verb === 'create' ? 201 : 200;
}

/** Who is told off for what: one that tries the same over and over fills no log. A rate limit is about the user alone. */
function keyOf(
  { verb, type, namespace, name, subresource }: CallSubject,
  { caller }: CallContext,
  code: number,
): string {
  const about = code === 429 ? [] : [verb, type.group, type.plural, namespace, name, subresource];
  return JSON.stringify([caller.user, caller.service, code, ...about]);
}
