import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut and closed, as networks are. */
export class FlakyProxy {
  private readonly sockets = new Set<Socket>();
  private isClosed = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async to(url: string): Promise<FlakyProxy> {
    const server = createServer();
    const proxy = new FlakyProxy(server, new URL(url));
    server.on('connection', (socket) => proxy.accept(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection; new ones may come. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Breaks every connection, and lets none come until `open`. */
  close(): void {
    this.isClosed = true;
    this.cut();
  }

  open(): void {
    this.isClosed = false;
  }

  async stop(): Promise<void> {
    this.close();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    if (this.isClosed) return void socket.destroy();
    const onward = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
  }
}
