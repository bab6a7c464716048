import type { Journal } from './journal.js';

/** One step of many. */
export interface Step<S> {
  /** Stable: what the journal knows it by. */
  readonly name: string;
  /** For people, once it is done. */
  readonly done: string;
  /** Brings it about, and looks before it does: whoever did it before may have been killed anywhere in it. */
  readonly run: (scope: S) => Promise<void>;
  /** Looked after again at each run until the named step is done, for what has to stand meanwhile. */
  readonly until?: string;
}

export interface StepRun<S> {
  readonly steps: readonly Step<S>[];
  readonly scope: S;
  readonly journal: Pick<Journal, 'has' | 'add' | 'keepRequest'>;
  readonly say: (line: string) => void;
}

/** Does what is left to do, in order, and writes each step down once it is done. Gives false when nothing was left. */
export async function runSteps<S>({ steps, scope, journal, say }: StepRun<S>): Promise<boolean> {
  if (steps.every(({ name }) => journal.has(name))) return false;
  await journal.keepRequest();
  for (const [index, step] of steps.entries()) {
    const wasDone = journal.has(step.name);
    if (wasDone && !stands(step, journal)) continue;
    await step.run(scope);
    if (wasDone) continue;
    await journal.add(step.name);
    say(`[${index + 1}/${steps.length}] ${step.done}`);
  }
  return true;
}

function stands<S>({ until }: Step<S>, journal: StepRun<S>['journal']): boolean {
  return until !== undefined && !journal.has(until);
}
