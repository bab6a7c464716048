import type { Blocker, Condition, KubeObject } from '@crate/api';
import { oneLine } from '../output/visible.js';
import type { Stage } from '../progress/object-progress.js';

interface KnownStatus {
  readonly progress?: Stage;
  readonly failure?: { readonly code: string; readonly message: string; readonly remedy?: string };
  readonly conditions?: readonly Condition[];
  readonly deletion?: { readonly blockers?: readonly Blocker[] };
}

const NOT_BEGUN: Stage = { step: 0, steps: 0, message: 'Waiting to start' };

/** Where an object of any kind is, from what its status says. */
export function stageOf(object: KubeObject): Stage {
  const { progress, failure, conditions = [] } = (object['status'] ?? {}) as KnownStatus;
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (isOfEarlierSpec(ready, object)) return NOT_BEGUN;
  const { step = 0, steps = 0 } = progress ?? {};
  if (failure) return { step, steps, message: failureText(failure) };
  if (progress) return progress;
  return ready ? { step, steps, message: ready.message || ready.reason } : NOT_BEGUN;
}

/** What is told there is of the spec before. */
function isOfEarlierSpec(ready: Condition | undefined, { metadata }: KubeObject): boolean {
  return (ready?.observedGeneration ?? Infinity) < metadata.generation;
}

function failureText({ code, message, remedy }: NonNullable<KnownStatus['failure']>): string {
  return [`${code}: ${message}`, remedy].filter(Boolean).join('. ');
}

/** What keeps the object from being gone, each in its own words. */
export function blockersOf(object: KubeObject): readonly string[] {
  const { deletion } = (object['status'] ?? {}) as KnownStatus;
  return (deletion?.blockers ?? []).map(blockerText);
}

function blockerText({ kind, name, message, since, remedy }: Blocker): string {
  const what = oneLine(`In the way since ${since}: ${kind} ${name}: ${message}`);
  return remedy === undefined ? what : `${what}\n  What to do: ${oneLine(remedy)}`;
}
