import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CLUSTER, PROJECT } from '@crate/api';
import { unauthenticated } from '@crate/errors';
import { KindRegistry, KubernetesRequestHandler, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';

/** Answers a request itself; true when it did. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The real API over HTTP, in memory, with a way to make it misbehave. */
export class TestApi {
  /** Asked before every request. */
  fault: Fault = () => false;
  readonly requests: string[] = [];
  private readonly watching = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly store: InMemoryResourceStore,
  ) {}

  static async start(token = 'secret'): Promise<TestApi> {
    const store = new InMemoryResourceStore();
    const kubeconfig = (): Promise<string> => Promise.resolve('apiVersion: v1\nkind: Config\n');
    const kinds = new KindRegistry([{ definition: CLUSTER, subresources: { kubeconfig } }, { definition: PROJECT }]);
    const handler = new KubernetesRequestHandler({
      router: new LocalResourceRouter(kinds, new LocalResourceApi({ store, kinds })),
      authenticate: ({ headers }) =>
        headers.authorization === `Bearer ${token}`
          ? Promise.resolve({ user: 'ada', groups: [] })
          : Promise.reject(unauthenticated()),
      authorize: () => Promise.resolve(),
      version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
      logger: new InMemoryLogger(),
    });
    const server = createServer((request, response) => {
      api.requests.push(`${request.method} ${request.url}`);
      if (request.url?.includes('watch=true')) api.watching.add(request.socket);
      if (!api.fault(request, response)) void handler.handle(request, response);
    });
    const api = new TestApi(server, store);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks the connections of watches, as a failing network does. */
  cut(): void {
    for (const socket of this.watching) socket.destroy();
    this.watching.clear();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    await this.store.close();
  }
}

/** A cluster as a person states it. */
export function draft(
  name: string,
  labels: Record<string, string> = {},
): {
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  spec: object;
} {
  return {
    metadata: { name, namespace: 'team-a', labels },
    spec: { accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' } },
  };
}
