import { setTimeout as delay } from 'node:timers/promises';
import type { WorkingProcess } from '../platform/working-processes.js';
import type { LockSighting } from '../world/world.js';

const LOOK_EVERY_MS = 100;

/** Looks again and again whether two Terraforms are at work in one workspace. */
export class LockSampler {
  readonly sightings: LockSighting[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly list: () => readonly WorkingProcess[]) {}

  start(): void {
    this.running = this.look();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async look(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.sightings.push(...sharedBy(this.list()));
      await delay(LOOK_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }
}

/** Workspaces that more than one process group is in. */
export function sharedBy(processes: readonly WorkingProcess[]): readonly LockSighting[] {
  const groups = new Map<string, Set<number>>();
  for (const { workspace, pgid } of processes) groups.set(workspace, (groups.get(workspace) ?? new Set()).add(pgid));
  return [...groups].filter(([, set]) => set.size > 1).map(([workspace, set]) => ({ workspace, groups: [...set] }));
}
