import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ProxiedConnection } from './proxied-connection.js';

/** A request that commits something, on its way. */
export interface Commit {
  /** Database user: the service with underscores. */
  readonly user: string;
  readonly label: string;
}

/** What stands between services and the database. Each is awaited, so it holds what it watches. */
export interface ProxyHooks {
  /** The request was not sent on yet. */
  readonly before?: (commit: Commit) => Promise<void> | void;
  /** The server has done it; nobody was told. Gives `cut` to lose the answer together with the connection. */
  readonly executed?: (commit: Commit) => Promise<'cut' | void> | 'cut' | void;
  /** The answer is on its way. */
  readonly answered?: (commit: Commit) => void;
}

/** A TCP proxy that understands enough of PostgreSQL's protocol to stop or cut at a commit. */
export class PostgresProxy {
  hooks: ProxyHooks = {};
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(targetPort: number): Promise<PostgresProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new PostgresProxy(server, targetPort);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks every connection that is open now. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.sockets.delete(socket));
    }
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    new ProxiedConnection(client, server, () => this.hooks).run();
  }
}
