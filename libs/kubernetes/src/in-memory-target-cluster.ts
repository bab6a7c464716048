import { createHash, randomUUID } from 'node:crypto';
import type { KubeObject, Manifest, WatchEvent } from '@crate/api';
import { notFound, PlatformError } from '@crate/errors';
import {
  TargetCluster,
  type ApplyObjectOptions,
  type TargetList,
  type TargetListOptions,
  type TargetNode,
  type TargetRef,
  type TargetWatchOptions,
} from './target-cluster.js';
import { toTargetNode } from './target-node.js';

/** A cluster in memory, for tests of what uses the port: every namespaced kind, no controllers of its own. */
export class InMemoryTargetCluster extends TargetCluster {
  /** Every call that writes, such as `apply Deployment docs`, in order. */
  readonly writes: string[] = [];
  /** While set, every call fails as if nobody answered. */
  isDown = false;
  gitVersion = 'v1.31.4';
  /** What an apply is refused with, also a dry one, as by a schema or a webhook. */
  refusal: ((object: Manifest) => Error | undefined) | undefined;
  /** Status that objects of a kind get when they are applied, by kind. */
  readonly statusOnApply = new Map<string, unknown>();
  /** Objects of these kinds stay, with a deletionTimestamp, when removed. */
  readonly stuckKinds = new Set<string>();
  /** Objects of these kinds are made anew when removed, as a controller does. */
  readonly recreatedKinds = new Set<string>();
  /** Names of pods that a disruption budget keeps. */
  readonly keptPods = new Set<string>();
  private readonly objects = new Map<string, KubeObject>();
  private readonly listeners = new Set<(event: WatchEvent) => void>();
  private revision = 0;

  override async applyObject(object: Manifest, options: ApplyObjectOptions): Promise<KubeObject> {
    await this.answer();
    const refusal = this.refusal?.(object);
    if (refusal) throw refusal;
    const stored = this.objects.get(keyOf(object));
    const next = this.merge(stored, object);
    const isSame = stored !== undefined && fingerprint(stored) === fingerprint(next);
    if (options.dryRun) return next;
    if (isSame) return stored;
    this.writes.push(`apply ${object.kind} ${object.metadata.name}`);
    return this.put(next);
  }

  override async find(ref: TargetRef): Promise<KubeObject | undefined> {
    await this.answer();
    return this.objects.get(keyOf(ref));
  }

  override async get(ref: TargetRef): Promise<KubeObject> {
    const found = await this.find(ref);
    if (found) return found;
    throw notFound(ref.kind, ref.name);
  }

  override async list(apiVersion: string, kind: string, options: TargetListOptions = {}): Promise<TargetList> {
    await this.answer();
    const items = [...this.objects.values()].filter(
      (object) =>
        object.apiVersion === apiVersion &&
        object.kind === kind &&
        (options.namespace === undefined || object.metadata.namespace === options.namespace),
    );
    return { resourceVersion: String(this.revision), items };
  }

  override async remove(ref: TargetRef): Promise<void> {
    await this.answer();
    const found = this.objects.get(keyOf(ref));
    if (!found) return;
    this.writes.push(`remove ${ref.kind} ${ref.name}`);
    if (this.stuckKinds.has(ref.kind)) {
      this.put({ ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
      return;
    }
    this.objects.delete(keyOf(ref));
    this.emit({ type: 'DELETED', object: found });
    if (this.recreatedKinds.has(ref.kind)) this.put({ ...found, metadata: { ...found.metadata, uid: randomUUID() } });
  }

  override async evict(pod: TargetRef): Promise<void> {
    await this.answer();
    if (!this.objects.has(keyOf(pod))) return;
    if (this.keptPods.has(pod.name))
      throw new PlatformError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.");
    this.writes.push(`evict ${pod.kind} ${pod.name}`);
    await this.remove(pod);
  }

  override async *watch(
    apiVersion: string,
    kind: string,
    options: TargetWatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent> {
    await this.answer();
    const queue: WatchEvent[] = [];
    let wake = (): void => undefined;
    const listener = (event: WatchEvent): void => {
      if (event.object.apiVersion !== apiVersion || event.object.kind !== kind) return;
      queue.push(event);
      wake();
    };
    this.listeners.add(listener);
    const end = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
    end.addEventListener('abort', () => wake());
    try {
      while (!end.aborted) {
        yield* queue.splice(0);
        await this.answer();
        if (!end.aborted && queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.listeners.delete(listener);
    }
  }

  override async version(): Promise<string> {
    await this.answer();
    return this.gitVersion;
  }

  override async nodes(): Promise<readonly TargetNode[]> {
    const { items } = await this.list('v1', 'Node');
    return items.map(toTargetNode).sort((left, right) => left.name.localeCompare(right.name));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  /** Adds or replaces a node, as its kubelet would, or as the control plane does once that is silent. */
  setNode(
    name: string,
    options: {
      readonly ready: boolean | 'silent';
      readonly controlPlane?: boolean;
      readonly version?: string;
      readonly labels?: Record<string, string>;
      /** Since when it is as ready as it is. */
      readonly since?: string;
    },
  ): void {
    const role = options.controlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {};
    const since = options.since === undefined ? {} : { lastTransitionTime: options.since };
    this.put({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: metadata(name, { labels: { ...role, ...options.labels } }),
      status: {
        conditions: [{ type: 'Ready', status: statusOf(options.ready), ...since }],
        nodeInfo: { kubeletVersion: options.version ?? this.gitVersion },
      },
    });
  }

  /** Replaces an object as another client would; without `next` removes it. */
  interfere(ref: TargetRef, next?: (object: KubeObject) => KubeObject): void {
    const found = this.objects.get(keyOf(ref));
    if (!found) throw notFound(ref.kind, ref.name);
    if (next) this.put(next(structuredClone(found)));
    else this.objects.delete(keyOf(ref));
  }

  /** Whether anybody watches. */
  get isWatched(): boolean {
    return this.listeners.size > 0;
  }

  /** Everything there is, as `Kind name`, sorted. */
  contents(): readonly string[] {
    return [...this.objects.values()].map((object) => `${object.kind} ${object.metadata.name}`).sort();
  }

  private merge(stored: KubeObject | undefined, stated: Manifest): KubeObject {
    const { name, namespace, ...rest } = stated.metadata;
    return {
      ...stored,
      ...structuredClone(stated),
      metadata: {
        ...(stored?.metadata ?? metadata(name, {})),
        ...rest,
        ...(namespace === undefined ? {} : { namespace }),
      },
      ...(this.statusOnApply.has(stated.kind) ? { status: this.statusOnApply.get(stated.kind) } : {}),
    };
  }

  private put(object: KubeObject): KubeObject {
    const existed = this.objects.has(keyOf(object));
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.revision) } };
    this.objects.set(keyOf(stored), stored);
    this.emit({ type: existed ? 'MODIFIED' : 'ADDED', object: stored });
    return stored;
  }

  private emit(event: WatchEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private async answer(): Promise<void> {
    await Promise.resolve();
    if (!this.isDown) return;
    throw new PlatformError('Unavailable', 'The API server does not answer', { details: { reason: 'ConnectionDown' } });
  }
}

function metadata(name: string, rest: { readonly labels?: Record<string, string> }): KubeObject['metadata'] {
  return {
    name,
    uid: randomUUID(),
    resourceVersion: '0',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...rest,
  };
}

function statusOf(ready: boolean | 'silent'): string {
  if (ready === 'silent') return 'Unknown';
  return ready ? 'True' : 'False';
}

function keyOf(object: TargetRef | Manifest | KubeObject): string {
  const { name, namespace } = 'metadata' in object ? (object as Manifest).metadata : object;
  return [object.apiVersion, object.kind, namespace ?? '', name].join(' ');
}

function fingerprint(object: KubeObject): string {
  const { metadata: meta, ...rest } = object;
  return createHash('sha256')
    .update(
      JSON.stringify([
        meta.labels,
        meta.annotations,
        Object.entries(rest).sort(([left], [right]) => left.localeCompare(right)),
      ]),
    )
    .digest('hex');
}
