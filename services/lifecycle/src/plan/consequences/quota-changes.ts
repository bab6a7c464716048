import type { Cluster, Consequences, Project } from '@crate/api';
import { QUOTA_NAMES, usageOf } from '../../project/project-usage.js';

/** What the clusters of a Project take up before a change and after it. Pure. */
export function quotaChanges(
  project: Pick<Project, 'spec'> | undefined,
  clusters: readonly Cluster[],
  { before, after }: { readonly before?: Cluster; readonly after?: Cluster },
): Consequences['quota'] {
  const others = clusters.filter(({ metadata }) => metadata.uid !== before?.metadata.uid);
  const used = usageOf([...others, ...(before ? [before] : [])]);
  const going = usageOf([...others, ...(after ? [after] : [])]);
  return QUOTA_NAMES.map((name) => {
    const limit = project?.spec.quotas[name];
    return { name, before: used[name], after: going[name], ...(limit === undefined ? {} : { limit }) };
  });
}
