import { setTimeout as delay } from 'node:timers/promises';
import { GuardedProcess, type GuardedProcessOptions } from '@crate/local-servers';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A process that ran this long was fine; its next end starts the pauses anew. */
const HEALTHY_AFTER_MS = 30_000;

export interface ChildOptions extends GuardedProcessOptions {
  readonly name: string;
  /** Told when the process ended by itself and will be started again. */
  readonly onRestart: (name: string, afterMs: number) => void;
  /** Told when it runs again, under another process id. */
  readonly onRestarted: (name: string) => void;
}

/** A process that is started again whenever it ends by itself. */
export class SupervisedChild {
  private current: GuardedProcess | undefined;
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(private readonly options: ChildOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Process id right now; undefined between two lives. */
  get pid(): number | undefined {
    return this.current?.pid;
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
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.stopping.signal.aborted) {
      const startedAt = performance.now();
      await this.current?.exited;
      await this.current?.stop();
      this.current = undefined;
      if (this.stopping.signal.aborted) return;
      pauseMs = performance.now() - startedAt > HEALTHY_AFTER_MS ? FIRST_PAUSE_MS : pauseMs;
      this.options.onRestart(this.name, pauseMs);
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (this.stopping.signal.aborted) return;
      this.current = await GuardedProcess.start(this.options);
      this.options.onRestarted(this.name);
    }
  }
}
