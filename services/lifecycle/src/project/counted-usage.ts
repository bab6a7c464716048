import { CLUSTER, type Cluster } from '@crate/api';
import { SharedLook } from '@crate/resource-client';
import { digestOf, type GuardedObjects, type ResourceStore, type StoreGuard } from '@crate/resource-store';
import { SIZED_BY, usageOf, type Usage } from './project-usage.js';

/** What the clusters of a Project take up, for as long as the guard holds. */
export interface Count {
  readonly used: Usage;
  readonly guard: StoreGuard;
}

/**
 * Counts what the clusters of a Project take up. Writes that are judged at the same time share a count, which began after each of them
 * asked: of many at once only one gets through, and all others have to be judged anew.
 */
export class CountedUsage {
  private readonly looks = new Map<string, SharedLook<Count>>();

  constructor(private readonly store: Pick<ResourceStore, 'list'>) {}

  of(project: string): Promise<Count> {
    const known = this.looks.get(project);
    if (known) return known.ask();
    const look = new SharedLook(
      () => this.read(project),
      () => this.looks.delete(project),
    );
    this.looks.set(project, look);
    return look.ask();
  }

  private async read(namespace: string): Promise<Count> {
    const collection: GuardedObjects = { group: CLUSTER.group, kind: CLUSTER.kind, namespace };
    const { items } = await this.store.list(collection, { onlySpec: SIZED_BY });
    return { used: usageOf(items as readonly Cluster[]), guard: { ...collection, digest: digestOf(items) } };
  }
}
