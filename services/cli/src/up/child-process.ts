import { setTimeout as delay } from 'node:timers/promises';
import { GuardedProcess, type GuardedProcessOptions } from '@crate/local-servers';

const PAUSES = { firstMs: 500, longestMs: 10_000 };
/** A process that ran this long was fine; its next end starts the pauses anew. */
const HEALTHY_AFTER_MS = 30_000;

export interface ChildOptions extends GuardedProcessOptions {
  readonly name: string;
  /** Told when the process ended by itself and will be started again. */
  readonly onRestart: (name: string, afterMs: number) => void;
  /** Told whenever the process runs again, under another id. */
  readonly onRestarted?: () => void;
  /** Between two lives; doubled each time. */
  readonly pauses?: { readonly firstMs: number; readonly longestMs: number };
}

/** A process that is started again whenever it ends by itself. */
export class SupervisedChild {
  private current: GuardedProcess | undefined;
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private restartCount = 0;

  constructor(private readonly options: ChildOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Process id right now; undefined between two lives. */
  get pid(): number | undefined {
    return this.current?.pid;
  }

  /** How often it ended by itself. */
  get restarts(): number {
    return this.restartCount;
  }

  async start(): Promise<void> {
    this.current = await GuardedProcess.start(this.options);
    this.loop = this.keepAlive();
  }

  /** Ends the process and waits for its end; idempotent. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.current?.stop();
    await this.loop;
  }

  private async keepAlive(): Promise<void> {
    await this.restartUntilStopped();
    // A stop that came while a new life began has to end that one, too.
    await this.current?.stop();
  }

  private async restartUntilStopped(): Promise<void> {
    const { firstMs, longestMs } = this.options.pauses ?? PAUSES;
    let pauseMs = firstMs;
    while (!this.stopping.signal.aborted) {
      const startedAt = performance.now();
      await this.current?.exited;
      await this.current?.stop();
      this.current = undefined;
      if (this.stopping.signal.aborted) return;
      pauseMs = performance.now() - startedAt > HEALTHY_AFTER_MS ? firstMs : pauseMs;
      this.restartCount += 1;
      this.options.onRestart(this.name, pauseMs);
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestMs);
      if (!this.stopping.signal.aborted) await this.startAgain();
    }
  }

  /** A start that fails, for want of memory or file handles, is one more life that ended at once. */
  private async startAgain(): Promise<void> {
    try {
      this.current = await GuardedProcess.start(this.options);
    } catch {
      return;
    }
    this.options.onRestarted?.();
  }
}
