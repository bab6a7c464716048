import { createHash } from 'node:crypto';
import {
  DocumentRepository,
  type DocumentDraft,
  type DocumentQuery,
  type DocumentSelector,
  type StageCount,
} from './document.repository.js';
import { byKey, clustersOf, textOf, type ClusterKey, type RememberedDocument } from './remembered-document.js';
import type { RememberedRequest } from './remembered-document.js';

interface Stored extends Required<DocumentDraft> {
  seenOn: string;
}

/** Documents in this process, for tests. */
export class InMemoryDocumentRepository extends DocumentRepository {
  private readonly stored = new Map<string, Stored>();

  constructor(private readonly now: () => Date = () => new Date()) {
    super();
  }

  save(drafts: readonly DocumentDraft[]): Promise<readonly ClusterKey[]> {
    const before = (key: DocumentDraft['key']): string | undefined => this.stored.get(textOf(key))?.content;
    const changed = drafts.filter(({ key, content = before(key) }) => before(key) !== content);
    const seenOn = dayOf(this.now());
    for (const { key, content = before(key) } of drafts)
      if (content !== undefined) this.stored.set(textOf(key), { key, content, seenOn });
    return Promise.resolve(clustersOf(changed.map(({ key }) => key)));
  }

  forget(which: DocumentSelector): Promise<readonly ClusterKey[]> {
    const wanted = Object.entries(which);
    return this.removeWhere(({ key }) => wanted.every(([part, value]) => key[part as keyof typeof key] === value));
  }

  removeUnseen(forMs: number): Promise<readonly ClusterKey[]> {
    const before = dayOf(new Date(this.now().getTime() - forMs));
    return this.removeWhere(({ seenOn }) => seenOn < before);
  }

  clusters(): Promise<readonly ClusterKey[]> {
    return Promise.resolve(clustersOf(this.sorted().map(({ key }) => key)));
  }

  digestOf({ namespace, cluster }: ClusterKey): Promise<string | undefined> {
    const contents = this.sorted().filter(({ key }) => key.namespace === namespace && key.cluster === cluster);
    if (contents.length === 0) return Promise.resolve(undefined);
    const hash = createHash('sha256');
    for (const { key, content } of contents) hash.update(textOf(key)).update(content);
    return Promise.resolve(hash.digest('hex'));
  }

  async *open({ cluster, stages, inProject = () => true }: DocumentQuery): AsyncGenerator<RememberedDocument> {
    for (const { key, content } of this.sorted()) {
      if (cluster && (key.namespace !== cluster.namespace || key.cluster !== cluster.cluster)) continue;
      if ((stages && !stages.includes(key.stage)) || !inProject(key.namespace)) continue;
      yield await Promise.resolve({ key, request: JSON.parse(content) as RememberedRequest });
    }
  }

  counts(): Promise<readonly StageCount[]> {
    const counts = new Map<StageCount['stage'], number>();
    for (const { key } of this.sorted()) counts.set(key.stage, (counts.get(key.stage) ?? 0) + 1);
    return Promise.resolve([...counts].map(([stage, documents]) => ({ stage, documents })));
  }

  private sorted(): readonly Stored[] {
    return [...this.stored.values()].sort(byKey);
  }

  private removeWhere(isUnwanted: (stored: Stored) => boolean): Promise<readonly ClusterKey[]> {
    const unwanted = this.sorted().filter(isUnwanted);
    for (const { key } of unwanted) this.stored.delete(textOf(key));
    return Promise.resolve(clustersOf(unwanted.map(({ key }) => key)));
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
