import { setTimeout as delay } from 'node:timers/promises';
import { runProcess } from '@crate/process';
import type { Container } from '../kinds/container.js';
import { watchHealth, type Health } from './health-watch.js';

/** A restart is put off ever longer, up to five minutes, as the kubelet does; scaled, because here a start costs little. */
const FIRST_BACK_OFF_MS = 500;
const LAST_BACK_OFF_MS = 300_000;
/** Who ran for so long begins anew with the shortest wait. */
const FORGIVEN_MS = 600_000;
const KEPT_LINES = 2_000;

/** How one container is doing, in the words of `containerStatuses`. */
export interface ContainerState extends Health {
  readonly restartCount: number;
  readonly state:
    | { readonly running: { readonly startedAt: string } }
    | { readonly waiting: { readonly reason: string; readonly message?: string } }
    | { readonly terminated: Termination };
  readonly lastTermination?: Termination;
}

interface Termination {
  readonly exitCode: number;
  readonly reason: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface LocalContainerOptions {
  readonly container: Container;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly address: string;
  readonly graceMs: number;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly onChange: () => void;
}

/** A container that is a process of this machine: started again when it ends, asked by its probes, stopped with the pod. */
export class LocalContainer {
  private readonly stopping = new AbortController();
  private readonly lines: string[] = [];
  private readonly ended: Promise<void>;
  private current: ContainerState = {
    ...{ isStarted: false, isReady: false, restartCount: 0 },
    state: { waiting: { reason: 'ContainerCreating' } },
  };

  constructor(private readonly options: LocalContainerOptions) {
    this.ended = this.live();
  }

  get state(): ContainerState {
    return this.current;
  }

  /** What it wrote last, over all its runs. */
  get log(): readonly string[] {
    return this.lines;
  }

  /** Asks the process to end, ends it after its grace time, and resolves when it is gone. Idempotent. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async live(): Promise<void> {
    let backOffMs = FIRST_BACK_OFF_MS;
    for (let restartCount = 0; !this.stopping.signal.aborted; restartCount += 1) {
      const startedAt = performance.now();
      const termination = await this.runOnce(restartCount);
      if (this.stopping.signal.aborted) return;
      const { restartPolicy } = this.options;
      const isOver = restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && termination.exitCode === 0);
      this.tell({
        ...{ isStarted: false, isReady: false, restartCount, lastTermination: termination },
        state: isOver ? { terminated: termination } : { waiting: { reason: 'CrashLoopBackOff' } },
      });
      if (isOver) return;
      if (performance.now() - startedAt > FORGIVEN_MS) backOffMs = FIRST_BACK_OFF_MS;
      await delay(backOffMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      backOffMs = Math.min(backOffMs * 2, LAST_BACK_OFF_MS);
    }
  }

  private async runOnce(restartCount: number): Promise<Termination> {
    const { container, address, command, environment, directory, graceMs } = this.options;
    const startedAt = new Date().toISOString();
    const run = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, run.signal]);
    const running = { restartCount, state: { running: { startedAt } }, ...last(this.current) };
    this.tell({ ...running, isStarted: false, isReady: false });
    const onChange = (health: Health): void => this.tell({ ...running, ...health });
    const watching = watchHealth(container, address, { onChange, signal }).then((gaveUp) => {
      if (gaveUp !== undefined) this.append(`The ${gaveUp} probe failed too often`);
      run.abort();
    });
    const [program = '', ...args] = command;
    const result = await runProcess({
      ...{ command: program, args, cwd: directory, env: environment, graceMs, signal },
      onLine: (_stream, line) => this.append(line),
    }).catch((error: unknown) => this.append(String(error)));
    run.abort();
    await watching;
    const exitCode = result?.exitCode ?? KILLED;
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    return { exitCode, reason, startedAt, finishedAt: new Date().toISOString() };
  }

  private append(line: string): void {
    this.lines.push(line);
    if (this.lines.length > KEPT_LINES) this.lines.shift();
  }

  private tell(state: ContainerState): void {
    this.current = state;
    if (!this.stopping.signal.aborted) this.options.onChange();
  }
}

/** Of a process that a signal ended: 128 and SIGKILL. */
const KILLED = 137;

function last({ lastTermination }: ContainerState): { readonly lastTermination?: Termination } {
  return lastTermination ? { lastTermination } : {};
}
