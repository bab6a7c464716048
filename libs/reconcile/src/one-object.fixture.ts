import type { KubeObject } from '@crate/api';
import { conflict, notFound } from '@crate/errors';
import type { ChangeNews } from './deletion-watch.js';
import type { RecorderClient } from './status-recorder.js';

const METADATA = { name: 'demo', namespace: 'team-a', uid: 'u1', generation: 1, creationTimestamp: '' };

/** An API server with one object, which a test may change behind the back of the one who holds it. */
export class OneObject implements RecorderClient<KubeObject>, ChangeNews {
  private readonly listeners = new Set<Parameters<ChangeNews['onChange']>[0]>();
  /** Statuses as they were written, in order. */
  readonly written: unknown[] = [];
  /** How long an answer to a write is under way. */
  answersAfterMs = 0;
  stored: KubeObject | undefined = {
    apiVersion: 'v1',
    kind: 'Infrastructure',
    metadata: { ...METADATA, resourceVersion: '1' },
  };

  /** As it is now; throws when it is gone. */
  get current(): KubeObject {
    if (!this.stored) throw notFound('Infrastructure', METADATA.name);
    return this.stored;
  }

  /** Changes it as somebody else would. */
  change(fields: Record<string, unknown>, metadata: Partial<KubeObject['metadata']> = {}): void {
    const { current } = this;
    const resourceVersion = String(Number(current.metadata.resourceVersion) + 1);
    this.stored = { ...current, ...fields, metadata: { ...current.metadata, resourceVersion, ...metadata } };
  }

  onChange(listener: Parameters<ChangeNews['onChange']>[0]): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Tells of a change of the object, or of another; one that is not told of is one whose news is lost. */
  tell(uid: string = METADATA.uid): void {
    for (const listener of this.listeners) listener([{ uid }]);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }

  async find(): Promise<KubeObject | undefined> {
    return Promise.resolve(this.stored);
  }

  async saveStatus(object: KubeObject, status: unknown): Promise<KubeObject> {
    await Promise.resolve();
    if (object.metadata.resourceVersion !== this.current.metadata.resourceVersion) throw conflict('Stale');
    this.written.push(status);
    this.change({ status });
    const saved = this.current;
    if (this.answersAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, this.answersAfterMs));
    return saved;
  }
}
