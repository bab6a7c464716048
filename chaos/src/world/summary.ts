import { isOfCluster } from './cluster-tag.js';
import type { World } from './world.js';

/** How much there was to judge, so that nobody takes nothing for soundness. */
export function summaryOf(world: World): string {
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
