import type { ClusterKey } from '../memory/remembered-document.js';
import { AssessmentRepository, type StoredAssessment } from './assessment.repository.js';

/** Numbers in this process, for tests. */
export class InMemoryAssessmentRepository extends AssessmentRepository {
  private readonly stored = new Map<string, StoredAssessment>();

  find(cluster: ClusterKey): Promise<StoredAssessment | undefined> {
    return Promise.resolve(this.stored.get(textOf(cluster)));
  }

  ofProject(namespace: string): Promise<readonly StoredAssessment[]> {
    return Promise.resolve(this.sorted().filter((each) => each.namespace === namespace));
  }

  save(assessment: StoredAssessment): Promise<void> {
    this.stored.set(textOf(assessment), assessment);
    return Promise.resolve();
  }

  remove(cluster: ClusterKey): Promise<void> {
    this.stored.delete(textOf(cluster));
    return Promise.resolve();
  }

  clusters(): Promise<readonly ClusterKey[]> {
    return Promise.resolve(this.sorted().map(({ namespace, cluster }) => ({ namespace, cluster })));
  }

  violations(): Promise<Readonly<Record<string, number>>> {
    const sum: Record<string, number> = {};
    for (const { violations } of this.stored.values()) {
      for (const [kind, count] of Object.entries(violations)) sum[kind] = (sum[kind] ?? 0) + count;
    }
    return Promise.resolve(sum);
  }

  private sorted(): readonly StoredAssessment[] {
    return [...this.stored.values()].sort((left, right) => (textOf(left) < textOf(right) ? -1 : 1));
  }
}

function textOf({ namespace, cluster }: ClusterKey): string {
  return `${namespace}/${cluster}`;
}
