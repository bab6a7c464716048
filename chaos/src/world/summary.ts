import { isOfCluster } from './cluster-tag.js';
import { outcomesOf } from './doings.js';
import { runsOf } from './held-runs.js';
import { conditionOf } from './kube-object.js';
import type { World } from './world.js';

/** How much there was to judge, so that nobody takes nothing for soundness. */
export function summaryOf(world: World): string {
  const heldRuns = world.userPlans.map((plan) => runsOf(world, plan));
  const spans = world.watched.flatMap((each) => each.spans);
  const parts = {
    'cloud objects': world.cloud.length,
    'of them made by clusters': world.cloud.filter((each) =>
      world.infrastructures.some((one) => isOfCluster(one, each)),
    ).length,
    clusters: world.clusters.length,
    'clusters of a class': world.clusters.filter(({ spec }) => spec?.['classRef'] !== undefined).length,
    'revisions of classes': world.classRevisions.length,
    'stored states': world.states.length,
    runs: world.runs.length,
    plans: Object.keys(world.plans).length,
    'changes in the cloud': world.cloudChanges.length,
    'runs for approved plans': heldRuns.flat().length,
    'objects that those made, changed or removed': heldRuns.flatMap((runs) => outcomesOf(world, runs)).length,
    ...endsOf(world),
    promises: world.acknowledged.length,
    'watched events': spans.reduce((sum, { events }) => sum + events.length, 0),
    lists: spans.length,
    'kinds with changes that nobody read': Object.values(world.gaps).filter(({ length }) => length > 0).length,
    'lists anew, told by 410': spans.filter(({ isForgotten }) => isForgotten).length,
  };
  return `Judging ${Object.entries(parts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}`;
}

/** How many plans of users are how far. */
function endsOf({ userPlans }: World): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const plan of userPlans) {
    const phase = `plans ${conditionOf(plan, 'Ready')?.reason ?? 'Pending'}`;
    counts[phase] = (counts[phase] ?? 0) + 1;
  }
  return counts;
}
