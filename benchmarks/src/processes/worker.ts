import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Answer {
  readonly result?: unknown;
  readonly error?: string;
}

/** A process of the benchmark's own that does one job at a time. Ends with its parent. */
export class Worker {
  private constructor(private readonly child: ChildProcess) {}

  /** Runs a module that calls `serveJobs`. */
  static async start(module: URL, execArgv: readonly string[] = []): Promise<Worker> {
    const child = fork(module, { execArgv: [...execArgv], serialization: 'advanced' });
    await once(child, 'message'); // It says that it listens.
    return new Worker(child);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Rejects with what the job failed of, or when the process ends. */
  async run<R>(job: unknown): Promise<R> {
    const gone = new AbortController();
    const ended = once(this.child, 'exit', { signal: gone.signal }).then(() => ({ error: 'The process ended' }));
    const answered = once(this.child, 'message', { signal: gone.signal }).then(([answer]) => answer as Answer);
    try {
      this.child.send(job as object);
      const { result, error } = await Promise.race([answered, ended as Promise<Answer>]);
      if (error !== undefined) throw new Error(error);
      return result as R;
    } finally {
      gone.abort();
      await Promise.allSettled([ended, answered]);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }
}

/** Answers the jobs of the process that started this one, and ends with it. */
export function serveJobs(handle: (job: never) => Promise<unknown>): void {
  process.on('message', (job) => {
    handle(job as never).then(
      (result) => process.send?.({ result }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
