import { isDeepStrictEqual } from 'node:util';
import {
  conditionTrue,
  mergeConditions,
  type Cluster,
  type KubeObject,
  type Project,
  type ProjectStatus,
} from '@crate/api';
import { gone, Reconciler, saveStatusIfChanged, settled, type Outcome, type ReconcileKey } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ForeignChange } from '@crate/service-host';
import { usageOf, type Usage } from './project-usage.js';

/** Shows on a Project what its clusters take up, counted from those there are. */
export class ProjectReconciler extends Reconciler {
  readonly name = 'project';

  constructor(
    private readonly projects: Pick<TypedClient<Project>, 'find' | 'saveStatus'>,
    private readonly clusters: Pick<TypedClient<Cluster>, 'list'>,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  async reconcile({ name }: ReconcileKey): Promise<Outcome> {
    const project = await this.projects.find(name);
    if (!project) return gone;
    const clusters = await this.clusters.list({ namespace: name });
    await saveStatusIfChanged(this.projects, project, projectStatus(project, clusters, this.now()));
    return settled;
  }
}

/** The Project of a cluster that came, went or changed its size; most changes are of none of these, and a pass reads all clusters. */
export function resizedProjectKeysOf(): (cluster: KubeObject, change: ForeignChange) => readonly ReconcileKey[] {
  const sizes = new Map<string, Usage>();
  return (cluster, change) => {
    const { uid, namespace = '' } = cluster.metadata;
    const size = change === 'DELETED' ? undefined : usageOf([cluster as Cluster]);
    if (size !== undefined && isDeepStrictEqual(size, sizes.get(uid))) return [];
    if (size) sizes.set(uid, size);
    else sizes.delete(uid);
    return [{ namespace: '', name: namespace }];
  };
}

function projectStatus({ metadata, status }: Project, clusters: readonly Cluster[], now: Date): ProjectStatus {
  const { generation } = metadata;
  const facts = [conditionTrue('Ready', 'Ready')];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(status?.conditions, facts, { generation, now }),
    usage: usageOf(clusters),
  };
}
