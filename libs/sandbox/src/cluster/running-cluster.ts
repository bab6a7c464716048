import { join } from 'node:path';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  KubernetesRequestHandler,
  LocalResourceApi,
  LocalResourceRouter,
  type Authorize,
  type ServerVersion,
} from '@crate/resource-server';
import { InMemoryResourceStore, openFileJournal } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';
import { coreHooks } from './admission/core-hooks.js';
import { namespaceIsOpen } from './admission/namespace-hooks.js';
import type { ClusterCloud } from './cluster-cloud.js';
import type { ImageCatalog } from './containers/image-catalog.js';
import { LocalPods } from './containers/local-pods.js';
import type { Endpoint } from './cluster-listener.js';
import type { ClusterRecord, Latency } from './cluster-record.js';
import { Authenticator } from './http/authenticator.js';
import { RbacAuthorizer } from './http/authorizer.js';
import { podLog } from './http/pod-log.js';
import { EvictionRoute } from './http/eviction-route.js';
import { PortForwardRoute } from './http/port-forward-route.js';
import { printedApi } from './http/printed-api.js';
import { ServiceProxyRoute } from './http/service-proxy-route.js';
import { TokenRoute } from './http/token-route.js';
import { ClusterKinds } from './kinds/cluster-kinds.js';
import { NAMESPACE, SERVICE_ACCOUNT } from './kinds/core.js';
import { CUSTOM_RESOURCE_DEFINITION } from './kinds/custom-resource-definition.js';
import type { SimulatedMachine } from './machines.js';
import { ClusterLoop, type ClusterKey } from './runtime/cluster-loop.js';
import { ClusterScope } from './runtime/cluster-scope.js';
import { ObjectCache } from './runtime/object-cache.js';
import { CACHED_KINDS, RECONCILERS } from './workloads/reconcilers.js';

/** Changes kept for watches; a client that was away for longer lists again. */
const HISTORY = 500;

export interface RunningClusterOptions {
  readonly directory: string;
  readonly record: () => ClusterRecord;
  readonly machineOf: (nodeName: string) => SimulatedMachine | undefined;
  readonly cloud?: ClusterCloud;
  /** Images that are programs of this machine; absent: none are. */
  readonly images?: ImageCatalog;
  /** Where the API can be reached now; absent: nowhere. */
  readonly endpoint?: () => Endpoint | undefined;
  readonly latency: () => Latency;
  readonly logger: Logger;
}

/** A simulated cluster in memory: its objects, its loops and its API. */
export class RunningCluster {
  private constructor(
    readonly scope: ClusterScope,
    readonly api: LocalResourceApi,
    private readonly loop: ClusterLoop,
    private readonly handler: KubernetesRequestHandler,
  ) {}

  /** Continues from the cluster's journal. */
  static async open(options: RunningClusterOptions): Promise<RunningCluster> {
    const { directory, images, ...parts } = options;
    const store = await InMemoryResourceStore.open(await openFileJournal(objectsDirectory(directory)), {
      history: HISTORY,
    });
    const cache = await ObjectCache.open(store, CACHED_KINDS);
    const kinds = new ClusterKinds(
      ({ group, kind, namespaced }) => ({
        admit: [...(namespaced ? [namespaceIsOpen(() => scope)] : []), ...coreHooks(group, kind, () => scope)],
        ...(group === '' && kind === 'Pod' ? { subresources: { log: podLog(() => pods) } } : {}),
      }),
      [namespaceIsOpen(() => scope)],
    );
    for (const definition of cache.list(CUSTOM_RESOURCE_DEFINITION)) kinds.addCustom(definition);
    const onChange = (key: ClusterKey): void => loop.enqueue('kubelet', key);
    const pods = images && new LocalPods({ images, directory, onChange });
    const authenticator = authenticatorOf(parts, cache);
    const tokens = { tokens: authenticator };
    const scope: ClusterScope = new ClusterScope({
      store,
      cache,
      kinds,
      ...parts,
      ...tokens,
      ...(pods ? { pods } : {}),
    });
    const api = new LocalResourceApi({ store, kinds });
    const loop: ClusterLoop = new ClusterLoop(scope, RECONCILERS);
    loop.start();
    return new RunningCluster(scope, api, loop, handlerOf(scope, api, authenticator));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.handler.handle(request, response);
  }

  /** As `handle`, for a request that asks for another protocol: what there is no route for is answered over HTTP, and the connection closed. */
  async handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    await this.handle(request, response);
  }

  /** Looks at nodes whose machines may have changed. */
  lookAtNodes(names: readonly string[]): void {
    for (const name of names) this.loop.enqueue('node', { namespace: '', name });
  }

  /** Looks at every namespace, as after a change of the certificate authority. */
  lookAtNamespaces(): void {
    for (const { metadata } of this.scope.cache.list(NAMESPACE)) {
      this.loop.enqueue('namespace', { namespace: '', name: metadata.name });
    }
  }

  /** Resolves when the loops have nothing left to do. */
  async settled(): Promise<void> {
    await this.scope.cache.caughtUp();
    await this.loop.whenIdle();
  }

  /** Ends open watches and the loops; everything is on disk afterwards. */
  async close(): Promise<void> {
    this.handler.close();
    await this.loop.stop();
    await this.scope.pods?.close();
    this.scope.cache.close();
    await this.scope.store.close();
  }
}

/** Where a cluster's journal lies. */
export function objectsDirectory(directory: string): string {
  return join(directory, 'objects');
}

function authenticatorOf({ record }: Pick<RunningClusterOptions, 'record'>, cache: ObjectCache): Authenticator {
  return new Authenticator(
    () => record().certificates.serviceAccountKey,
    ({ namespace, name, uid }) => cache.find(SERVICE_ACCOUNT, name, namespace)?.metadata.uid === uid,
    authorizeBy(cache),
  );
}

function handlerOf(scope: ClusterScope, api: LocalResourceApi, authenticator: Authenticator): KubernetesRequestHandler {
  const { cache } = scope;
  const authorize = authorizeBy(cache);
  return new KubernetesRequestHandler({
    router: new LocalResourceRouter(scope.kinds, printedApi(api)),
    authenticate: (request) => authenticator.authenticate(request),
    authorize,
    version: versionOf(scope),
    logger: scope.logger,
    extraRoutes: [
      new TokenRoute(cache, authenticator, authorize),
      new EvictionRoute(scope, authorize),
      new ServiceProxyRoute(cache, authorize),
      new PortForwardRoute(cache, scope.pods, authorize),
    ],
  });
}

function authorizeBy(cache: ObjectCache): Authorize {
  const rbac = new RbacAuthorizer(cache);
  return (caller, attributes) => rbac.authorize(caller, attributes);
}

/** Read at each request, because an upgrade changes it. */
function versionOf(scope: ClusterScope): ServerVersion {
  return {
    major: '1',
    get minor() {
      return scope.record().version.split('.')[1] ?? '';
    },
    get gitVersion() {
      return scope.record().version;
    },
    gitTreeState: 'clean',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
