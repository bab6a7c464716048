import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One address for whichever server it leads to, as a Service of Kubernetes or a virtual address has it. */
export class FrontDoor {
  private readonly sockets = new Set<Socket>();
  private target: number | undefined;

  private constructor(private readonly server: Server) {
    server.on('connection', (client) => this.accept(client));
  }

  /** Leads nowhere yet. */
  static async open(): Promise<FrontDoor> {
    const server = createServer({ noDelay: true });
    const door = new FrontDoor(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return door;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** To another port from now on, or to none: connections to the one before are broken. */
  lead(port: number | undefined): void {
    this.target = port;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.lead(undefined);
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.target === undefined) return void client.destroy();
    const server = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    server.on('error', () => server.destroy());
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server).pipe(client);
  }
}
