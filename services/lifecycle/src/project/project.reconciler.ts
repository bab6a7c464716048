import { isDeepStrictEqual } from 'node:util';
import {
  CLUSTER,
  conditionTrue,
  mergeConditions,
  type Cluster,
  type KubeObject,
  type Project,
  type ProjectStatus,
} from '@crate/api';
import {
  gone,
  Reconciler,
  saveStatusIfChanged,
  settled,
  waiting,
  type Outcome,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ResourceStore } from '@crate/resource-store';
import type { ForeignChange } from '@crate/service-host';
import { SIZED_BY, usageOf, type Usage } from './project-usage.js';

const CLUSTERS = { group: CLUSTER.group, kind: CLUSTER.kind };

/** Counting clusters takes at most this share of the time, so that what many large Projects show does not slow down what they do. */
const SHARE_OF_TIME = 0.05;

/** Shows on a Project what its clusters take up, counted from those there are. */
export class ProjectReconciler extends Reconciler {
  readonly name = 'project';
  /** By `performance.now`. */
  private restUntil = 0;

  constructor(
    private readonly projects: Pick<TypedClient<Project>, 'find' | 'saveStatus'>,
    private readonly store: Pick<ResourceStore, 'list'>,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  async reconcile({ name }: ReconcileKey): Promise<Outcome> {
    const project = await this.projects.find(name);
    if (!project) return gone;
    const restMs = this.restUntil - performance.now();
    if (restMs > 0 && isCounted(project)) return waiting('CountingRests', restMs);
    const clusters = await this.clustersOf(name);
    await saveStatusIfChanged(this.projects, project, projectStatus(project, clusters, this.now()));
    return settled;
  }

  private async clustersOf(namespace: string): Promise<readonly Cluster[]> {
    const startedAt = performance.now();
    const { items } = await this.store.list({ ...CLUSTERS, namespace }, { onlySpec: SIZED_BY });
    const tookMs = performance.now() - startedAt;
    this.restUntil = Math.max(this.restUntil, startedAt) + tookMs / SHARE_OF_TIME;
    return items as readonly Cluster[];
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

/** Shows something already, so that it can wait for the newest number. */
function isCounted({ metadata, status }: Project): boolean {
  return status?.usage !== undefined && status.observedGeneration === metadata.generation;
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
