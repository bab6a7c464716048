import { notFound } from '@crate/errors';
import { hasCode, PlatformError } from '@crate/errors';
import { AnswerLimit } from './answer-limit.js';
import type { ClusterTransport } from './cluster-transport.js';

/** Of a group, which is remembered. */
const DISCOVERY_BYTES = 2 * 1024 * 1024;

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** How one kind stands in URLs. */
export interface ResourcePath {
  readonly namespaced: boolean;
  /** Of the whole collection, in all namespaces. */
  readonly collection: string;
  /** Of the collection in one namespace; the same as `collection` for cluster-scoped kinds. */
  inNamespace(namespace: string | undefined): string;
}

/** Learns the paths of kinds from the cluster's discovery, and remembers them. */
export class ResourcePaths {
  private readonly known = new Map<string, Promise<readonly ApiResource[]>>();

  constructor(private readonly transport: ClusterTransport) {}

  /** Asks the cluster again when the kind is not known yet. Throws NotFound with reason `KindNotServed`. */
  async find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourcePath> {
    const cached = this.known.get(apiVersion);
    const remembered = cached && (await cached).find((resource) => resource.kind === kind);
    const resource = remembered ?? (await this.fetch(apiVersion, signal)).find((item) => item.kind === kind);
    if (resource) return pathOf(apiVersion, resource);
    throw kindNotServed(apiVersion, kind);
  }

  /**
   * The same, in whatever version of its group the kind is served: an upgrade of Kubernetes, or of a CRD, takes versions away and leaves
   * the objects.
   */
  async findInGroup(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourcePath> {
    try {
      return await this.find(apiVersion, kind, signal);
    } catch (error) {
      if (!isKindNotServed(error)) throw error;
      for (const version of await this.versionsOf(apiVersion, signal)) {
        const resource = (await this.fetch(version, signal)).find((item) => item.kind === kind);
        if (resource) return pathOf(version, resource);
      }
      throw error;
    }
  }

  /** Has the cluster asked again. */
  forget(apiVersion: string): void {
    this.known.delete(apiVersion);
  }

  /** Those of a group, the cluster's favourite first; none of the core group, which has one only. */
  private async versionsOf(apiVersion: string, signal?: AbortSignal): Promise<readonly string[]> {
    const [group, version] = apiVersion.split('/');
    if (group === undefined || version === undefined) return [];
    const path = `/apis/${group}`;
    const found = await this.ask<{ versions?: readonly { groupVersion: string }[] }>(path, signal);
    return (found?.versions ?? []).map(({ groupVersion }) => groupVersion);
  }

  private async fetch(apiVersion: string, signal?: AbortSignal): Promise<readonly ApiResource[]> {
    const resources = await this.read(apiVersion, signal);
    this.known.set(apiVersion, Promise.resolve(resources));
    return resources;
  }

  private async read(apiVersion: string, signal?: AbortSignal): Promise<readonly ApiResource[]> {
    const list = await this.ask<{ resources?: readonly ApiResource[] }>(rootOf(apiVersion), signal);
    // Names with a slash are subresources such as `deployments/status`.
    return (list?.resources ?? []).filter((resource) => !resource.name.includes('/'));
  }

  private async ask<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
    try {
      const limit = new AnswerLimit(DISCOVERY_BYTES);
      return await this.transport.json<T>({ method: 'GET', path, limit, ...(signal ? { signal } : {}) });
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

/** True when the cluster does not serve the kind, as before its CRD or after its removal. */
export function isKindNotServed(error: unknown): boolean {
  return hasCode(error, 'NotFound') && (error as PlatformError).details.reason === 'KindNotServed';
}

function kindNotServed(apiVersion: string, kind: string): PlatformError {
  const { message } = notFound('kind', `${kind} of ${apiVersion}`);
  return new PlatformError('NotFound', message, { details: { kind, reason: 'KindNotServed' } });
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function pathOf(apiVersion: string, resource: ApiResource): ResourcePath {
  const root = rootOf(apiVersion);
  const collection = `${root}/${resource.name}`;
  return {
    namespaced: resource.namespaced,
    collection,
    inNamespace: (namespace) =>
      resource.namespaced
        ? `${root}/namespaces/${encodeURIComponent(namespace ?? 'default')}/${resource.name}`
        : collection,
  };
}
