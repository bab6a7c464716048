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
import { usageOf } from './project-usage.js';

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

/** The Project that an object of it concerns. */
export function projectKeysOf({ metadata }: KubeObject): readonly ReconcileKey[] {
  return metadata.namespace === undefined ? [] : [{ namespace: '', name: metadata.namespace }];
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
