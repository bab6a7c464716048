import type { RunningSlot } from './component-agent.js';

/** How long a process that is ready counts as such: each question costs it one to PostgreSQL and one to NATS. */
const STANDS_MS = 3_000;

/** What processes said of themselves last. */
export class KnownReadiness {
  private readonly ready = new Map<string, { readonly run: string; readonly at: number }>();

  constructor(
    private readonly ask: (slot: string) => Promise<boolean>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Asks unless the same run was ready lately. `isFresh`: asks in any case, for what is to be decided by it. */
  async of({ name, version, restarts }: RunningSlot, isFresh: boolean): Promise<boolean> {
    const run = `${version} ${restarts}`;
    const known = this.ready.get(name);
    const at = this.now();
    if (!isFresh && known?.run === run && at - known.at < STANDS_MS) return true;
    const isReady = await this.ask(name);
    if (isReady) this.ready.set(name, { run, at });
    else this.ready.delete(name);
    return isReady;
  }
}
