import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubeObject, Manifest } from '@crate/api';
import { toStatus } from '@crate/errors';
import { formatKubeconfig, kubeconfigFor } from '../kubeconfig.js';
import type { InMemoryTargetCluster } from '../in-memory-target-cluster.js';
import { issueCertificate, type TestCertificate } from './certificates.js';

export interface TestResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespaced: boolean;
}

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

const STANDARD: readonly TestResource[] = [
  { apiVersion: 'v1', kind: 'Namespace', name: 'namespaces', namespaced: false },
  { apiVersion: 'v1', kind: 'Node', name: 'nodes', namespaced: false },
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'configmaps', namespaced: true },
  { apiVersion: 'v1', kind: 'Pod', name: 'pods', namespaced: true },
  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'deployments', namespaced: true },
];

const PATH =
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]))?(?:\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>eviction))?)?)?$/;

/** A Kubernetes-shaped API over HTTP in front of a cluster in memory: the far end of `HttpTargetCluster` in tests. */
export class TestApiServer {
  readonly seen: SeenRequest[] = [];
  readonly resources: TestResource[] = [...STANDARD];
  /** Answers instead of the cluster while set. */
  override: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Connections made so far. */
  connections = 0;
  private readonly server: Server;

  private constructor(
    private readonly cluster: InMemoryTargetCluster,
    private readonly certificate: TestCertificate,
  ) {
    const { cert, key } = certificate;
    this.server = createServer({ cert, key }, (request, response) => void this.handle(request, response));
    this.server.on('secureConnection', () => (this.connections += 1));
  }

  static async start(cluster: InMemoryTargetCluster): Promise<TestApiServer> {
    const server = new TestApiServer(cluster, await issueCertificate());
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  kubeconfig(token = 'token', ca = this.certificate.cert): string {
    return formatKubeconfig(kubeconfigFor({ name: 'test', server: this.url, ca, credentials: { token } }));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    if (this.override) return this.override(request, response);
    try {
      await this.answer(request, response);
    } catch (error) {
      const status = toStatus(error);
      send(response, status.code, status);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    if (url.pathname === '/version') return send(response, 200, { gitVersion: await this.cluster.version() });
    const group = /^\/apis\/([^/]+)$/.exec(url.pathname)?.[1];
    if (group !== undefined) return this.discoverGroup(response, group);
    const groups = PATH.exec(url.pathname)?.groups ?? {};
    const apiVersion = groups['core'] ?? `${groups['group']}/${groups['version']}`;
    if (groups['plural'] === undefined) return this.discover(response, apiVersion);
    const resource = this.resources.find((item) => item.apiVersion === apiVersion && item.name === groups['plural']);
    if (!resource) return send(response, 404, notFoundStatus(url.pathname));
    return this.serve(request, response, { url, resource, ...pick(groups) });
  }

  private discover(response: ServerResponse, apiVersion: string): void {
    const resources = this.resources.filter((resource) => resource.apiVersion === apiVersion);
    if (resources.length === 0) return send(response, 404, notFoundStatus(apiVersion));
    send(response, 200, { kind: 'APIResourceList', groupVersion: apiVersion, resources });
  }

  private discoverGroup(response: ServerResponse, group: string): void {
    const versions = new Set(
      this.resources.map((resource) => resource.apiVersion).filter((it) => it.startsWith(`${group}/`)),
    );
    if (versions.size === 0) return send(response, 404, notFoundStatus(group));
    send(response, 200, { kind: 'APIGroup', versions: [...versions].map((groupVersion) => ({ groupVersion })) });
  }

  private async serve(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const { url, resource, namespace, name, subresource } = target;
    const { apiVersion, kind } = resource;
    if (name === undefined && url.searchParams.get('watch') === 'true') return this.watch(response, target);
    if (name === undefined) return this.list(response, target);
    const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    if (request.method === 'GET') return send(response, 200, await this.cluster.get(ref));
    const body = await readBody(request);
    if (subresource === 'eviction') {
      await this.cluster.get(ref);
      await this.cluster.evict(ref);
      return send(response, 201, { kind: 'Status', status: 'Success' });
    }
    if (request.method === 'DELETE') {
      await this.cluster.get(ref);
      await this.cluster.remove(ref);
      return send(response, 200, { kind: 'Status', status: 'Success' });
    }
    const options = {
      fieldManager: url.searchParams.get('fieldManager') ?? '',
      dryRun: url.searchParams.get('dryRun') === 'All',
    };
    const object = JSON.parse(body) as Manifest;
    send(
      response,
      200,
      await this.cluster.applyObject(placed(object, resource.namespaced ? namespace : undefined), options),
    );
  }

  private async list(response: ServerResponse, { url, resource, namespace }: Target): Promise<void> {
    const all = await this.cluster.list(
      resource.apiVersion,
      resource.kind,
      namespace === undefined ? {} : { namespace },
    );
    // Two a page, however many were asked for, as a busy server may do.
    const start = Number(url.searchParams.get('continue') ?? 0);
    const items = all.items.slice(start, start + 2).map(withoutKind);
    const more = start + 2 < all.items.length ? { continue: String(start + 2) } : {};
    send(response, 200, { metadata: { resourceVersion: all.resourceVersion, ...more }, items });
  }

  private async watch(response: ServerResponse, { url, resource }: Target): Promise<void> {
    const ended = new AbortController();
    response.on('close', () => ended.abort());
    const timeoutMs = Number(url.searchParams.get('timeoutSeconds')) * 1000;
    const options = { resourceVersion: url.searchParams.get('resourceVersion') ?? '', timeoutMs };
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for await (const event of this.cluster.watch(resource.apiVersion, resource.kind, options, ended.signal)) {
      response.write(`${JSON.stringify(event)}\n`);
    }
    response.end();
  }
}

interface Target {
  readonly url: URL;
  readonly resource: TestResource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** In the namespace of the URL, whatever the object says; where there are none, in none. */
function placed(object: Manifest, namespace: string | undefined): Manifest {
  const { namespace: _stated, ...rest } = object.metadata;
  return { ...object, metadata: { ...rest, ...(namespace === undefined ? {} : { namespace }) } };
}

function pick({ namespace, name, subresource }: Record<string, string | undefined>): Omit<Target, 'url' | 'resource'> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function notFoundStatus(path: string): unknown {
  return { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: `${path} not found` };
}

function withoutKind({ metadata, ...object }: KubeObject): unknown {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return { metadata, ...rest };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
