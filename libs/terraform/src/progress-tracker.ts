import type { ChangeAction, TerraformEvent } from './terraform-event.js';

/** How far an apply has come. */
export interface TerraformProgress {
  /** Changes that are done, from 0 to `steps`. */
  readonly step: number;
  readonly steps: number;
  /** For people, such as `Creating aws_vpc.vpc and 2 more`. */
  readonly message: string;
}

const VERBS: Partial<Record<ChangeAction, string>> = {
  create: 'Creating',
  update: 'Changing',
  delete: 'Destroying',
  replace: 'Replacing',
  import: 'Importing',
  read: 'Reading',
};

/** How many `apply_complete` events a planned change leads to. */
const STEPS: Partial<Record<ChangeAction, number>> = { create: 1, update: 1, delete: 1, replace: 2 };

interface Running {
  readonly verb: string;
  readonly elapsedSeconds: number;
}

/** Turns the events of one plan and its apply into a step count and the resource that is being worked on. */
export class ProgressTracker {
  private readonly planned = new Map<string, number>();
  private readonly running = new Map<string, Running>();
  private done = 0;

  /** Takes an event in; true when the progress changed. */
  observe(event: TerraformEvent): boolean {
    switch (event.type) {
      case 'planned_change':
        this.planned.set(event.change.resource.addr, STEPS[event.change.action] ?? 0);
        return true;
      case 'apply_start':
      case 'apply_progress':
        this.running.set(event.hook.resource.addr, {
          verb: VERBS[event.hook.action] ?? 'Working on',
          elapsedSeconds: event.hook.elapsed_seconds ?? 0,
        });
        return true;
      case 'apply_complete':
        this.running.delete(event.hook.resource.addr);
        // Data sources that are read during the apply are no steps of the plan.
        this.done += (STEPS[event.hook.action] ?? 0) > 0 ? 1 : 0;
        return true;
      case 'apply_errored':
        this.running.delete(event.hook.resource.addr);
        return true;
      default:
        return false;
    }
  }

  current(): TerraformProgress {
    const steps = [...this.planned.values()].reduce((sum, count) => sum + count, 0);
    return { step: Math.min(this.done, steps), steps, message: this.message() };
  }

  /** The longest-running resource is what everything else waits for. */
  private message(): string {
    const [longest] = [...this.running].sort(([, a], [, b]) => b.elapsedSeconds - a.elapsedSeconds);
    if (!longest) return '';
    const [address, { verb }] = longest;
    const others = this.running.size - 1;
    return others > 0 ? `${verb} ${address} and ${others} more` : `${verb} ${address}`;
  }
}
