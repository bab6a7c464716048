import type { PolicyReviewRequest } from '@crate/api';
import type { DocumentRepository } from '../memory/document.repository.js';
import type { ClusterKey } from '../memory/remembered-document.js';

/** A change of a cluster's labels is known after this time at most. */
const KNOWN_MS = 10_000;
const MOST_KNOWN = 5_000;

type Subject = PolicyReviewRequest['subject'];
type Known = Pick<Subject, 'labels' | 'provider' | 'engine'>;

/** What rules know of the clusters whose API servers ask: as their specs were judged, which is remembered for reports. */
export class KnownClusters {
  private readonly known = new Map<string, { readonly known: Known; readonly atMs: number }>();

  constructor(
    private readonly documents: Pick<DocumentRepository, 'open'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The request with labels, provider and engine of its cluster; as it is where nobody has asked about the cluster's spec. */
  async describe(request: PolicyReviewRequest): Promise<PolicyReviewRequest> {
    const { namespace, name, cluster = name } = request.subject;
    const known = await this.of({ namespace, cluster });
    return { ...request, subject: { ...request.subject, ...known } };
  }

  private async of(cluster: ClusterKey): Promise<Known> {
    const key = `${cluster.namespace}/${cluster.cluster}`;
    const before = this.known.get(key);
    if (before && this.nowMs() - before.atMs < KNOWN_MS) return before.known;
    const known = await this.look(cluster);
    this.known.delete(key);
    this.known.set(key, { known, atMs: this.nowMs() });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
    return known;
  }

  private async look(cluster: ClusterKey): Promise<Known> {
    for await (const { request } of this.documents.open({ cluster, stages: ['ClusterSpec'] })) {
      const { labels, provider, engine } = request.subject;
      return { ...(labels && { labels }), ...(provider && { provider }), ...(engine && { engine }) };
    }
    return {};
  }
}
