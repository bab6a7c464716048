import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  CLUSTER,
  conditionTrue,
  mergeConditions,
  type Cluster,
  type KubeList,
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
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ResourceStore } from '@crate/resource-store';
import type { ForeignChange } from '@crate/service-host';
import { heldDeletion } from '../held-deletion.js';
import { NO_USAGE, SIZED_BY, sumOf, usageOf, type Usage } from './project-usage.js';

const CLUSTERS = { group: CLUSTER.group, kind: CLUSTER.kind };

/** Counting clusters takes at most this share of the time, so that what many large Projects show does not slow down what they do. */
const SHARE_OF_TIME = 0.05;
/** Clusters read in one go: a few milliseconds of the database. */
const PAGE = 500;

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

  async reconcile({ name }: ReconcileKey, { remoteSignal }: Pick<ReconcileContext, 'remoteSignal'>): Promise<Outcome> {
    const project = await this.projects.find(name);
    if (!project) return gone;
    const restMs = this.restUntil - performance.now();
    if (restMs > 0 && isCounted(project)) return waiting('CountingRests', restMs);
    const usage = await this.count(name, remoteSignal);
    await saveStatusIfChanged(this.projects, project, projectStatus(project, usage, this.now()));
    return settled;
  }

  /** Page by page with rests in between, for one long read keeps every other statement waiting for its processor. */
  private async count(namespace: string, signal: AbortSignal): Promise<Usage> {
    let usage = NO_USAGE;
    let next: string | undefined;
    do {
      if (next !== undefined) await delay(this.restUntil - performance.now(), undefined, { signal });
      const { items, metadata } = await this.read(namespace, next);
      usage = sumOf(usage, usageOf(items as readonly Cluster[]));
      next = metadata.continue;
    } while (next !== undefined && next !== '');
    return usage;
  }

  private async read(namespace: string, next: string | undefined): Promise<KubeList> {
    const startedAt = performance.now();
    const options = { onlySpec: SIZED_BY, limit: PAGE, ...(next === undefined ? {} : { continue: next }) };
    const page = await this.store.list({ ...CLUSTERS, namespace }, options);
    const tookMs = performance.now() - startedAt;
    this.restUntil = Math.max(this.restUntil, startedAt) + tookMs / SHARE_OF_TIME;
    return page;
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

function projectStatus(project: Project, usage: Usage, now: Date): ProjectStatus {
  const { status } = project;
  const { generation } = project.metadata;
  const facts = [heldDeletion(project) ?? conditionTrue('Ready', 'Ready')];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(status?.conditions, facts, { generation, now }),
    usage,
  };
}
