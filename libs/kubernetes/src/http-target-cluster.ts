import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, Manifest, WatchEvent } from '@crate/api';
import { hasCode, isPlatformError, type KubernetesStatus } from '@crate/errors';
import { AnswerLimit, answerTooLarge } from './answer-limit.js';
import { ClusterTransport, type KubeconfigSource } from './cluster-transport.js';
import { parseKubeconfig } from './kubeconfig.js';
import { isKindNotServed, ResourcePaths, type ResourcePath } from './resource-paths.js';
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
import { statusError, transportError } from './transport-errors.js';

const PAGE_SIZE = 100;
/** Of all that is in one list: some 40 MB as JSON. */
const LIST_BYTES = 128 * 1024 * 1024;
/** A server may give less in a page than it was asked for. */
const MOST_PAGES = 1_000;
const LIST_WITHIN_MS = 120_000;

export interface HttpTargetClusterOptions {
  /** How long `applyObject` waits for a kind to be served. Default 10,000. */
  readonly discoveryPatienceMs?: number;
}

/** A cluster reached over HTTPS as its kubeconfig says. */
export class HttpTargetCluster extends TargetCluster {
  private readonly transport: ClusterTransport;
  private readonly paths: ResourcePaths;
  private readonly patienceMs: number;

  /** Throws BadRequest when the kubeconfig is malformed or would run programs on this host. */
  constructor(kubeconfig: string | KubeconfigSource, options: HttpTargetClusterOptions = {}) {
    super();
    this.transport = new ClusterTransport(typeof kubeconfig === 'string' ? parseKubeconfig(kubeconfig) : kubeconfig);
    this.paths = new ResourcePaths(this.transport);
    this.patienceMs = options.discoveryPatienceMs ?? 10_000;
  }

  override async applyObject(object: Manifest, options: ApplyObjectOptions, signal?: AbortSignal): Promise<KubeObject> {
    const path = await this.awaitKind(object.apiVersion, object.kind, signal);
    const { name, namespace } = object.metadata;
    return this.transport.json<KubeObject>({
      method: 'PATCH',
      path: `${path.inNamespace(namespace)}/${encodeURIComponent(name)}`,
      query: {
        fieldManager: options.fieldManager,
        force: String(options.force ?? false),
        fieldValidation: 'Strict',
        dryRun: options.dryRun ? 'All' : undefined,
      },
      body: object,
      contentType: 'application/apply-patch+yaml',
      ...given(signal),
    });
  }

  override async find(ref: TargetRef, signal?: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.get(ref, signal);
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  override async get(ref: TargetRef, signal?: AbortSignal): Promise<KubeObject> {
    return this.at(ref, (path) => this.transport.json<KubeObject>({ method: 'GET', path, ...given(signal) }), signal);
  }

  override async list(
    apiVersion: string,
    kind: string,
    options: TargetListOptions = {},
    signal?: AbortSignal,
  ): Promise<TargetList> {
    const path = collectionOf(await this.paths.find(apiVersion, kind, signal), options);
    const items: KubeObject[] = [];
    const limit = new AnswerLimit(LIST_BYTES);
    const endsAt = performance.now() + LIST_WITHIN_MS;
    let token: string | undefined;
    for (let pages = 0; pages < MOST_PAGES && performance.now() < endsAt; pages += 1) {
      const page = await this.transport.json<Page>({
        method: 'GET',
        path,
        query: { ...selectors(options), limit: String(PAGE_SIZE), continue: token },
        limit,
        ...given(signal),
      });
      // Items of a list carry no kind of their own.
      items.push(...page.items.map((item) => ({ ...item, apiVersion, kind })));
      token = page.metadata.continue;
      if (!token) return { resourceVersion: page.metadata.resourceVersion, items };
    }
    throw answerTooLarge(this.transport.server);
  }

  override async remove(ref: TargetRef, signal?: AbortSignal): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
    try {
      await this.at(ref, (path) => this.transport.json({ method: 'DELETE', path, body, ...given(signal) }), signal);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  override async evict(pod: TargetRef, signal?: AbortSignal): Promise<void> {
    const { name, namespace } = pod;
    try {
      await this.transport.json({
        method: 'POST',
        path: `${await this.pathOf(pod, signal)}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
        ...given(signal),
      });
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  override async *watch(
    apiVersion: string,
    kind: string,
    options: TargetWatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent> {
    const path = collectionOf(await this.paths.find(apiVersion, kind, signal), options);
    const query = {
      ...selectors(options),
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(Math.ceil(options.timeoutMs / 1000)),
    };
    for await (const line of this.transport.lines({ method: 'GET', path, query, signal })) {
      yield readEvent(line, this.transport.server);
    }
  }

  override async version(signal?: AbortSignal): Promise<string> {
    const answer = await this.transport.json<{ gitVersion: string }>({
      method: 'GET',
      path: '/version',
      ...given(signal),
    });
    return answer.gitVersion;
  }

  override async nodes(signal?: AbortSignal): Promise<readonly TargetNode[]> {
    const { items } = await this.list('v1', 'Node', {}, signal);
    return items.map(toTargetNode).sort((left, right) => left.name.localeCompare(right.name));
  }

  override async close(): Promise<void> {
    await this.transport.close();
  }

  /** A CRD says Established shortly before its kind stands in discovery. */
  private async awaitKind(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourcePath> {
    for (let waitedMs = 0, pauseMs = 100; ; waitedMs += pauseMs, pauseMs = Math.min(pauseMs * 2, 1000)) {
      try {
        return await this.paths.find(apiVersion, kind, signal);
      } catch (error) {
        if (!isKindNotServed(error) || waitedMs >= this.patienceMs) throw error;
      }
      await delay(pauseMs, undefined, given(signal)).catch((error: unknown) => {
        throw transportError(error, this.transport.server, signal);
      });
    }
  }

  /** Asks at the path of an object; anew where that is not served any more, since the cluster was upgraded. */
  private async at<T>(ref: TargetRef, ask: (path: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const path = await this.pathOf(ref, signal);
    try {
      return await ask(path);
    } catch (error) {
      if (!hasCode(error, 'NotFound') || namesObject(error)) throw error;
      this.paths.forget(ref.apiVersion);
      const now = await this.pathOf(ref, signal);
      if (now === path) throw error;
      return ask(now);
    }
  }

  private async pathOf(ref: TargetRef, signal?: AbortSignal): Promise<string> {
    const path = await this.paths.findInGroup(ref.apiVersion, ref.kind, signal);
    return `${path.inNamespace(ref.namespace)}/${encodeURIComponent(ref.name)}`;
  }
}

/** A path that is not served is not found either, but nothing is said of an object. */
function namesObject(error: unknown): boolean {
  return isPlatformError(error) && error.details.name !== undefined;
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
}

function given(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function collectionOf(path: ResourcePath, options: TargetListOptions): string {
  return options.namespace === undefined ? path.collection : path.inNamespace(options.namespace);
}

function selectors(options: TargetListOptions): Record<string, string | undefined> {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}

function readEvent(line: string, server: string): WatchEvent {
  const event = parseLine(line, server) as { readonly type: string; readonly object: unknown };
  if (event.type === 'ERROR') throw statusError(event.object as Partial<KubernetesStatus>);
  return event as WatchEvent;
}

function parseLine(line: string, server: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw transportError(error, server);
  }
}
