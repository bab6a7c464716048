import { setTimeout as delay } from 'node:timers/promises';
import type { KindDefinition, KubeObject, WatchEvent } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';

const RETRY_MS = 1000;

/** By namespace, then by name; what is in none has the namespace ''. */
type Entries<V> = Map<string, Map<string, V>>;

/** Turns an object into what is kept of it; `known` is what was kept of the version before. */
export type Fold<T extends KubeObject, V> = (object: T, known: V | undefined) => V;

/** All objects of a kind in memory, kept up to date by a watch. */
export class FollowedObjects<T extends KubeObject, V> {
  private entries: Entries<V> | undefined;
  private reached = 0n;
  private changes = 0;
  private waiters: (() => void)[] = [];

  constructor(
    private readonly client: TypedClient<T>,
    private readonly logger: Logger,
    private readonly fold: Fold<T, V>,
  ) {}

  get kind(): KindDefinition<T> {
    return this.client.kind;
  }

  /** Every change up to this revision is in; undefined until all objects were read once. */
  get revision(): string | undefined {
    return this.entries && this.reached.toString();
  }

  /** Follows the objects until the signal aborts; starts over when the watch breaks, and keeps the old ones meanwhile. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.watch(signal);
      } catch (error) {
        if (!signal.aborted) this.logger.warn(`Watching ${this.kind.plural} again after an error`, { error });
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** True once every change up to `revision` is in; false when that takes longer than `timeoutMs`. */
  async reaches(revision: string, timeoutMs: number): Promise<boolean> {
    const end = AbortSignal.timeout(timeoutMs);
    while (!this.entries || this.reached < BigInt(revision)) {
      if (end.aborted) return false;
      await this.nextChange(end);
    }
    return true;
  }

  /** Takes note that nothing up to `revision` concerns the kind. */
  advance(revision: string): void {
    if (BigInt(revision) > this.reached) this.reached = BigInt(revision);
  }

  /** Another number when anything of what is kept may be another. */
  protected get version(): number {
    return this.changes;
  }

  /** What is kept of every object. Throws Unavailable until all were read: none must not pass for nothing to mind. */
  protected all(): readonly V[] {
    return [...this.loaded().values()].flatMap((ofNamespace) => [...ofNamespace.values()]);
  }

  /** The same of one namespace. */
  protected of(namespace: string): readonly V[] {
    return [...(this.loaded().get(namespace)?.values() ?? [])];
  }

  /** What is kept of one object; undefined when it is not known, or not yet. */
  protected find(namespace: string, name: string): V | undefined {
    return this.entries?.get(namespace)?.get(name);
  }

  private loaded(): Entries<V> {
    if (!this.entries) throw unavailable(`The ${this.kind.plural} are not loaded yet`);
    return this.entries;
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const next: Entries<V> = new Map();
    const options = { sendInitialEvents: true, allowBookmarks: true };
    for await (const event of this.client.watch(options, signal)) {
      this.apply(next, event);
      this.changes += 1;
      // The first bookmark says that all objects are in.
      if (event.type === 'BOOKMARK') this.entries = next;
      if (this.entries === next) this.advance(event.object.metadata.resourceVersion);
      for (const wake of this.waiters.splice(0)) wake();
    }
  }

  private apply(entries: Entries<V>, { type, object }: WatchEvent<T>): void {
    if (type === 'BOOKMARK') return;
    const { namespace = '', name } = object.metadata;
    const ofNamespace = entries.get(namespace) ?? new Map<string, V>();
    if (type === 'DELETED') ofNamespace.delete(name);
    else ofNamespace.set(name, this.fold(object, ofNamespace.get(name)));
    if (ofNamespace.size > 0) entries.set(namespace, ofNamespace);
    else entries.delete(namespace);
  }

  private async nextChange(end: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.waiters.push(resolve);
      end.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
