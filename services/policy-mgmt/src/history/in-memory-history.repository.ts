import type { ClusterKey } from '../memory/remembered-document.js';
import { HistoryRepository, type HistoryPoint } from './history.repository.js';

/** Points in this process, for tests. */
export class InMemoryHistoryRepository extends HistoryRepository {
  private points = new Map<string, readonly HistoryPoint[]>();

  constructor(private readonly now: () => Date = () => new Date()) {
    super();
  }

  last(key: ClusterKey): Promise<HistoryPoint | undefined> {
    return Promise.resolve(this.of(key).at(-1));
  }

  list(key: ClusterKey, limit: number): Promise<readonly HistoryPoint[]> {
    return Promise.resolve(this.of(key).slice(-limit));
  }

  put(key: ClusterKey, point: HistoryPoint, since: Date): Promise<void> {
    this.points.set(textOf(key), [...this.of(key).filter(({ at }) => at < since), point]);
    return Promise.resolve();
  }

  remove(key: ClusterKey): Promise<void> {
    this.points.delete(textOf(key));
    return Promise.resolve();
  }

  removeOlder(ageMs: number): Promise<void> {
    const before = this.now().getTime() - ageMs;
    const kept = [...this.points].map(
      ([key, points]) => [key, points.filter(({ at }) => at.getTime() >= before)] as const,
    );
    this.points = new Map(kept);
    return Promise.resolve();
  }

  private of(key: ClusterKey): readonly HistoryPoint[] {
    return this.points.get(textOf(key)) ?? [];
  }
}

function textOf({ namespace, cluster }: ClusterKey): string {
  return `${namespace}/${cluster}`;
}
