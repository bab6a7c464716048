import { notFound } from '@crate/errors';
import { hasCode, PlatformError } from '@crate/errors';
import type { ClusterTransport } from './cluster-transport.js';

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

  private async fetch(apiVersion: string, signal?: AbortSignal): Promise<readonly ApiResource[]> {
    const resources = await this.read(apiVersion, signal);
    this.known.set(apiVersion, Promise.resolve(resources));
    return resources;
  }

  private async read(apiVersion: string, signal?: AbortSignal): Promise<readonly ApiResource[]> {
    try {
      const list = await this.transport.json<{ resources?: readonly ApiResource[] }>({
        method: 'GET',
        path: rootOf(apiVersion),
        ...(signal ? { signal } : {}),
      });
      // Names with a slash are subresources such as `deployments/status`.
      return (list.resources ?? []).filter((resource) => !resource.name.includes('/'));
    } catch (error) {
      if (hasCode(error, 'NotFound')) return [];
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
