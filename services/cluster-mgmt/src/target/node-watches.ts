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

/** What ends sooner is not begun again at once, whatever ended it: a cluster is not to keep anybody busy. */
const LASTING_MS = 10_000;

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
  /** When the watch of this turn began, if it came to that. */
  private begunAt: number | undefined;
  private isSilent = false;
  /** Turns in a row that did not last. */
  private shortTurns = 0;

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
      this.begunAt = undefined;
      try {
        const cluster = await this.options.connections.find(this.clusterUid);
        if (!cluster) return; // The cluster was forgotten.
        await this.follow(cluster);
      } catch (error) {
        this.recover(error);
      }
      await this.pause();
    }
  }

  private async follow(cluster: TargetCluster): Promise<void> {
    const { signal } = this.stopping;
    const resourceVersion = this.resourceVersion ?? (await this.list(cluster));
    const options = { resourceVersion, timeoutMs: jittered(this.options.streamMs ?? 240_000) };
    this.begunAt = performance.now();
    for await (const event of cluster.watch('v1', 'Node', options, signal)) {
      this.resourceVersion = event.object.metadata.resourceVersion;
      if (this.take(event)) this.options.onChange(this.key);
    }
  }

  /** Takes all nodes anew; says so when that tells anything new. */
  private async list(cluster: TargetCluster): Promise<string> {
    const isFirst = this.nodes.size === 0 && !this.isSilent;
    const { items, resourceVersion } = await cluster.list('v1', 'Node', {}, this.stopping.signal);
    const before = JSON.stringify([...this.nodes].sort());
    this.nodes.clear();
    for (const node of items) this.note(node);
    const isNew = JSON.stringify([...this.nodes].sort()) !== before;
    if (this.isSilent || (isNew && !isFirst)) this.options.onChange(this.key);
    this.isSilent = false;
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

  private recover(error: unknown): void {
    this.resourceVersion = undefined;
    if (this.stopping.signal.aborted || hasCode(error, 'Gone')) return;
    // Once is enough: whoever looks keeps looking until the cluster answers.
    if (!this.isSilent) this.options.onChange(this.key);
    this.isSilent = true;
  }

  /** Longer from turn to turn, until a watch lasts: that a list is answered says nothing yet. */
  private async pause(): Promise<void> {
    const hasLasted = this.begunAt !== undefined && performance.now() - this.begunAt >= LASTING_MS;
    this.shortTurns = hasLasted ? 0 : this.shortTurns + 1;
    if (hasLasted) return;
    const { firstPauseMs = 1000, longestPauseMs = 60_000 } = this.options;
    const pauseMs = jittered(Math.min(firstPauseMs * 2 ** (this.shortTurns - 1), longestPauseMs));
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
