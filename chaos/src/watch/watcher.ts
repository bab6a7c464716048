import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../platform/api-client.js';
import type { KubeObject } from '../world/kube-object.js';
import type { WatchedKind, WatchedSpan } from '../world/world.js';

const RETRY_MS = 300;
const GONE = 410;
/** Watches are ended and resumed on purpose this often, besides whatever ends them. */
const SECONDS = 15;

interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number };
}

interface Span extends WatchedSpan {
  to: number;
  isForgotten: boolean;
  events: { type: string; uid: string; revision: number }[];
}

export interface WatcherOptions {
  readonly name: string;
  readonly api: Pick<ApiClient, 'send' | 'stream'>;
  readonly kind: string;
  /** Path of the collection. */
  readonly path: string;
  /** Told of every event as it comes. */
  readonly onEvent?: (type: string, object: KubeObject) => void;
}

/** Follows one kind for as long as it is let, through every cut: resumes where it was, and lists anew on 410 alone. */
export class Watcher {
  private readonly stopping = new AbortController();
  private readonly spans: Span[] = [];
  private wanted = 0;
  private running: Promise<void> | undefined;

  constructor(private readonly options: WatcherOptions) {}

  start(): void {
    this.running = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  get history(): WatchedKind {
    const { name, kind } = this.options;
    return { watcher: name, kind, spans: this.spans, wanted: this.wanted };
  }

  /** Resolves when the watcher has come as far as a revision, or that takes too long; its history says which. */
  async untilSeen(revision: number, timeoutMs: number): Promise<void> {
    this.wanted = revision;
    const deadline = performance.now() + timeoutMs;
    while ((this.spans.at(-1)?.to ?? 0) < revision && performance.now() < deadline) await delay(RETRY_MS);
  }

  private async follow(): Promise<void> {
    let span: Span | undefined;
    while (!this.stopping.signal.aborted) {
      try {
        span ??= await this.list();
        span.isForgotten = await this.resume(span);
        if (span.isForgotten) span = undefined;
      } catch {
        await delay(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private async list(): Promise<Span> {
    const { api, path } = this.options;
    const { status, body } = await api.send({ method: 'GET', path });
    if (status !== 200 || !body) throw new Error(`HTTP ${status}`);
    const from = Number(body.metadata.resourceVersion);
    // To a watch that means any revision, as in Kubernetes: it begins with what is there, and leaves out how it came to be so.
    if (from === 0) throw new Error('Nothing was ever written');
    const span = { from, to: from, events: [], isForgotten: false };
    this.spans.push(span);
    return span;
  }

  /** Follows on from where the span is; true when that is forgotten. */
  private async resume(span: Span): Promise<boolean> {
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${SECONDS}&resourceVersion=${span.to}`;
    const response = await this.options.api.stream(`${this.options.path}?${query}`, this.stopping.signal);
    if (response.statusCode === GONE) return true;
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
    let rest = '';
    for await (const chunk of response) {
      const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each !== '')) {
        if (this.take(span, JSON.parse(line) as WatchEvent)) return true;
      }
    }
    return false;
  }

  private take(span: Span, { type, object }: WatchEvent): boolean {
    if (type === 'ERROR') return object.code === GONE;
    const revision = Number(object.metadata.resourceVersion);
    span.to = Math.max(span.to, revision);
    if (type === 'BOOKMARK') return false;
    span.events.push({ type, uid: object.metadata.uid, revision });
    this.options.onEvent?.(type, object);
    return false;
  }
}
