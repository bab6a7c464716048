import type { KubeObject } from './kube-object.js';
import type { RunRow } from './records.js';
import type { World } from './world.js';

interface ApprovedPlan {
  readonly name: string;
}

type Known = Pick<World, 'changes' | 'infrastructures' | 'keptRuns'>;

/** What an Infrastructure says that its runs are held to; undefined: nothing. */
export function holderOf({ spec }: Pick<KubeObject, 'spec'>): string | undefined {
  return (spec?.['approvedPlan'] as ApprovedPlan | undefined)?.name;
}

/** Every state of every Infrastructure that anybody has seen. */
export function infrastructuresIn({ changes, infrastructures }: Known): readonly KubeObject[] {
  return [...(changes['Infrastructure'] ?? []).map(({ object }) => object), ...infrastructures];
}

/**
 * Runs of Terraform that carry a plan out, in their order: of a generation that is held to it, up to the first that came to its end. What is run
 * for that generation later is asked for by something else, such as a drift.
 */
export function runsOf(world: Known, plan: KubeObject): readonly RunRow[] {
  const held = new Set(
    infrastructuresIn(world)
      .filter((one) => holderOf(one) === plan.metadata.name)
      .map(({ metadata }) => `${metadata.uid} ${metadata.generation}`),
  );
  const kind = plan.spec?.['destroy'] === true ? 'destroy' : 'apply';
  const runs = world.keptRuns
    .filter((run) => run.kind === kind && held.has(`${run.owner} ${run.generation}`))
    .toSorted((left, right) => left.started_at.getTime() - right.started_at.getTime());
  const end = runs.findIndex(({ state }) => state === 'succeeded');
  return end < 0 ? runs : runs.slice(0, end + 1);
}
