import { conflict, PlatformError, toPlatformError } from '@crate/errors';
import { parseTraceparent, runInSpan, type Span } from '@crate/telemetry';
import { DeadlineSignals } from './deadlines.js';
import type { EngineParts, Registered } from './engine-parts.js';
import { LeaseKeeper } from './lease-keeper.js';
import { explainAbort, type Pass, type ReconcileContext } from './outcome.js';
import { isSilent, judge, type Verdict } from './verdict.js';
import type { WorkLease, WorkResult } from './work-queue.js';

/** True for the error that calls end with when the process stops: the object is not to blame, its status should stay as it is. */
export function isInterruption(error: unknown): boolean {
  return toPlatformError(error).details.reason === 'Interrupted';
}

/**
 * True where a pass that failed says nothing of its object, whose status should stay as it is: the process stops, or a race was lost and the
 * pass is repeated at once. Somebody who loses again and again is told. `attempts` as in `ReconcileContext`.
 */
export function isNoNews(error: unknown, attempts = 0): boolean {
  return isInterruption(error) || isSilent(toPlatformError(error), attempts);
}

function interrupted(): PlatformError {
  return new PlatformError('Unavailable', 'Interrupted by a restart', {
    details: { reason: 'Interrupted' },
    retry: 'now',
  });
}

/** One pass of one key, from its claim until its lease is given back. */
export class RunningPass {
  private readonly signals: DeadlineSignals;
  private readonly keeper: LeaseKeeper;
  private readonly lost = new AbortController();
  private isLost = false;
  private isStopping = false;

  constructor(
    private readonly parts: EngineParts,
    private readonly registered: Registered,
    private readonly lease: WorkLease,
    claimedAt: number,
  ) {
    const { queue, scheduler, times } = parts;
    this.signals = new DeadlineSignals(registered.options, scheduler);
    const onLost = (why: string): void => this.lose(why);
    this.keeper = new LeaseKeeper({ ...times, queue, scheduler, lease, claimedAt, onLost });
    this.signals.signal.addEventListener('abort', () => this.reportForce());
  }

  /** Runs the pass and gives the lease back. Milliseconds until the key is due again; undefined when it will not be for us. Never throws. */
  async run(): Promise<number | undefined> {
    if (this.isStopping) return this.giveBack();
    const { reconciler, key, attempts, epoch } = this.lease;
    const span = beginSpan(this.parts, this.lease, this.kindField());
    const { traceId } = span.place;
    const context = { reconciler, ...key, ...this.kindField(), reconcileId: epoch.toString() };
    return runInSpan(span, context, async () => {
      const startedAt = this.parts.scheduler.now();
      const pass = await this.reconcile({ ...this.allSignals(), epoch, traceId, attempts, lease: this.lease });
      this.signals.dispose();
      const dueInMs = await this.conclude(pass, this.parts.scheduler.now() - startedAt, span);
      this.keeper.stop();
      span.end();
      return dueInMs;
    });
  }

  private async giveBack(): Promise<number | undefined> {
    this.signals.dispose();
    this.keeper.stop();
    return this.finish({ kind: 'release' });
  }

  /** The process stops: calls to the outside end now, and an unfinished pass counts as not begun. */
  interrupt(): void {
    this.isStopping = true;
    this.signals.abortRemote(interrupted());
  }

  /** The process will not wait any longer. The lease of a pass that goes on regardless ends by itself. */
  abandon(): void {
    const reason = interrupted();
    // Nobody renews it from here on.
    this.lost.abort(reason);
    this.signals.abort(reason);
    this.keeper.stop();
  }

  /** Another claim of the key exists, so this pass is void. */
  lose(why: string): void {
    if (this.isLost) return;
    this.isLost = true;
    const reason = conflict('The lease was lost');
    this.lost.abort(reason);
    this.keeper.stop();
    this.parts.metrics.lost(this.lease.reconciler);
    this.parts.logger.warn('Lost the lease', { ...this.fields(), why });
    this.signals.abort(reason);
  }

  private async reconcile(context: ReconcileContext): Promise<Pass> {
    try {
      return { ok: true, outcome: await this.registered.reconciler.reconcile(this.lease.key, context) };
    } catch (error) {
      return { ok: false, error: explainAbort(error, context.remoteSignal) };
    }
  }

  private async conclude(pass: Pass, tookMs: number, span: Span): Promise<number | undefined> {
    const { backoff, metrics } = this.parts;
    const { attempts, reconciler } = this.lease;
    const verdict = judge(pass, { attempts, backoff, resyncMs: this.registered.options.resyncMs });
    metrics.ended(reconciler, verdict, tookMs);
    span.set({ 'crate.reconcile.outcome': verdict.outcome, 'crate.reconcile.reason': verdict.reason || undefined });
    if (!pass.ok && !isSilent(toPlatformError(pass.error), attempts)) span.fail(pass.error);
    if (this.isLost) return undefined;
    if (!pass.ok && this.isStopping) return this.finish({ kind: 'release' });
    this.log(pass, verdict, tookMs);
    return this.finish(verdict.result);
  }

  private log(pass: Pass, { outcome, reason, result }: Verdict, tookMs: number): void {
    const { logger } = this.parts;
    const { attempts } = this.lease;
    const fields = { outcome, reason, attempts, tookMs: Math.round(tookMs) };
    if (pass.ok) return logger.debug('Pass ended', fields);

    const error = toPlatformError(pass.error);
    if (isSilent(error, attempts)) return logger.debug('Pass lost a race', { ...fields, error });
    const retryInMs = result.kind === 'again' ? result.afterMs : 0;
    const level = error.code === 'Invariant' ? 'error' : 'warn';
    return logger[level]('Pass failed', { ...fields, retryInMs, error });
  }

  /** Work that outlives its last signal holds its key, for two passes at a time would be worse: somebody must look. */
  private reportForce(): void {
    if (this.isLost) return;
    this.parts.logger.warn('Ending a pass by force', { ...this.fields(), error: this.signals.signal.reason });
  }

  private async finish(result: WorkResult): Promise<number | undefined> {
    try {
      return await this.parts.queue.finish(this.lease, result);
    } catch (error) {
      // The lease ends by itself, and whoever claims the key then repeats the pass.
      this.parts.logger.warn('Giving the lease back failed', { error });
      return 0; // For all we know it was given back.
    }
  }

  private allSignals(): Pick<ReconcileContext, 'remoteSignal' | 'signal' | 'lost' | 'inLine'> {
    const { remoteSignal, signal } = this.signals;
    return { remoteSignal, signal, lost: this.lost.signal, inLine: (wait) => this.signals.inLine(wait) };
  }

  private kindField(): { kind?: string } {
    const { kind } = this.registered;
    return kind === undefined ? {} : { kind };
  }

  private fields(): Record<string, unknown> {
    const { reconciler, key, epoch } = this.lease;
    return { reconciler, ...key, ...this.kindField(), reconcileId: epoch.toString() };
  }
}

/** A pass belongs to the trace of what made its key due; a look that nobody asked for begins one. */
function beginSpan({ tracer }: EngineParts, lease: WorkLease, { kind }: { readonly kind?: string }): Span {
  const { reconciler, key, epoch, attempts, waitedMs, trace } = lease;
  const parent = parseTraceparent(trace);
  const attributes = {
    'crate.reconcile.reconciler': reconciler,
    'crate.reconcile.id': epoch.toString(),
    'crate.reconcile.attempts': attempts,
    'crate.reconcile.wait_ms': Math.round(waitedMs),
    'crate.reconcile.trigger': parent ? 'write' : 'resync',
    'crate.object.kind': kind,
    'crate.object.namespace': key.namespace || undefined,
    'crate.object.name': key.name,
  };
  return tracer.begin(`reconcile ${reconciler}`, { kind: 'consumer', parent, attributes });
}
