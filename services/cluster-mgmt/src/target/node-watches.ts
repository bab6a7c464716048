import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, WatchEvent } from '@crate/api';
import { hasCode, unavailable } from '@crate/errors';
import { toTargetNode, type TargetCluster } from '@crate/kubernetes';
import type { ReconcileKey } from '@crate/reconcile';
import { runOutside } from '@crate/telemetry';
import type { ClusterConnections } from './cluster-connections.js';

export interface NodeWatchesOptions {
  readonly connections: ClusterConnections;
  /** Called when what Crate wants to know of a cluster's nodes changed, or the cluster fell silent or came back. */
  readonly onChange: (key: ReconcileKey) => void;
  /** A stream is renewed after this time, give or take a fifth. */
  readonly streamMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

/** More than Kubernetes supports. A cluster that tells of ever more nodes would grow here without end. */
const MOST_NODES = 10_000;

/** A watch that nobody asked for again in this time ends: another replica looks after the cluster now. */
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Watches the nodes of clusters: one stream each, and no write anywhere unless something changed.
 * A watch recovers by itself, and only ever says "look at this key".
 */
export class NodeWatches {
  private readonly watches = new Map<string, NodeWatch>();

  constructor(private readonly options: NodeWatchesOptions) {}

  /** Starts the watch if there is none. Idempotent and cheap. */
  ensure(key: ReconcileKey, clusterUid: string): void {
    const known = this.watches.get(clusterUid);
    if (known) return known.touch();
    const watch = new NodeWatch(key, clusterUid, this.options);
    this.watches.set(clusterUid, watch);
    // It outlives the pass that asks for it, and what it sees later was not caused by what that pass was for.
    void runOutside(() => watch.run()).finally(() => {
      if (this.watches.get(clusterUid) === watch) this.watches.delete(clusterUid);
    });
  }

  /** Ends the watch, if there is one. */
  drop(clusterUid: string): void {
    this.watches.get(clusterUid)?.stop();
    this.watches.delete(clusterUid);
  }

  /** How many clusters are watched. */
  get size(): number {
    return this.watches.size;
  }

  close(): void {
    for (const uid of [...this.watches.keys()]) this.drop(uid);
  }
}

class NodeWatch {
  private readonly stopping = new AbortController();
  private readonly nodes = new Map<string, string>();
  private touchedAt = performance.now();
  private resourceVersion: string | undefined;
  private failures = 0;

  constructor(
    private readonly key: ReconcileKey,
    private readonly clusterUid: string,
    private readonly options: NodeWatchesOptions,
  ) {}

  touch(): void {
    this.touchedAt = performance.now();
  }

  stop(): void {
    this.stopping.abort();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted && performance.now() - this.touchedAt < FORGET_AFTER_MS) {
      try {
        const cluster = await this.options.connections.find(this.clusterUid);
        if (!cluster) return; // The cluster was forgotten.
        await this.follow(cluster);
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  private async follow(cluster: TargetCluster): Promise<void> {
    const { signal } = this.stopping;
    const resourceVersion = this.resourceVersion ?? (await this.list(cluster));
    const options = { resourceVersion, timeoutMs: jittered(this.options.streamMs ?? 240_000) };
    for await (const event of cluster.watch('v1', 'Node', options, signal)) {
      this.resourceVersion = event.object.metadata.resourceVersion;
      if (this.take(event)) this.options.onChange(this.key);
    }
    this.failures = 0;
  }

  /** Takes all nodes anew; says so when that tells anything new. */
  private async list(cluster: TargetCluster): Promise<string> {
    const isFirst = this.nodes.size === 0 && this.failures === 0;
    const { items, resourceVersion } = await cluster.list('v1', 'Node', {}, this.stopping.signal);
    const before = JSON.stringify([...this.nodes].sort());
    this.nodes.clear();
    for (const node of items) this.note(node);
    const isNew = JSON.stringify([...this.nodes].sort()) !== before;
    if (this.failures > 0 || (isNew && !isFirst)) this.options.onChange(this.key);
    this.failures = 0;
    this.resourceVersion = resourceVersion;
    return resourceVersion;
  }

  private take({ type, object }: WatchEvent): boolean {
    if (type === 'BOOKMARK') return false;
    return type === 'DELETED' ? this.nodes.delete(digest(object.metadata.name)) : this.note(object);
  }

  /** Whether that is news. Digests, since names and versions are as long as the cluster likes. */
  private note(node: KubeObject): boolean {
    const [name, seen] = [digest(node.metadata.name), fingerprint(node)];
    if (this.nodes.get(name) === seen) return false;
    this.nodes.set(name, seen);
    if (this.nodes.size > MOST_NODES) throw unavailable(`The cluster tells of more than ${MOST_NODES} nodes`);
    return true;
  }

  private async recover(error: unknown): Promise<void> {
    this.resourceVersion = undefined;
    if (this.stopping.signal.aborted || hasCode(error, 'Gone')) return;
    this.failures += 1;
    // Once is enough: whoever looks keeps looking until the cluster answers.
    if (this.failures === 1) this.options.onChange(this.key);
    const { firstPauseMs = 1000, longestPauseMs = 60_000 } = this.options;
    const pauseMs = jittered(Math.min(firstPauseMs * 2 ** (this.failures - 1), longestPauseMs));
    await delay(pauseMs, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
  }
}

/** What of a node is worth looking again for; heartbeats are not. */
function fingerprint(node: KubeObject): string {
  return digest(JSON.stringify(toTargetNode(node)));
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}

function jittered(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() * 0.4));
}
