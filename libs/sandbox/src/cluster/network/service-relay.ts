import { randomInt } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where a connection may go on to. */
export interface Backend {
  readonly address: string;
  readonly port: number;
}

/** A port of a Service, and who is behind it at the moment. */
export interface RelayedPort {
  readonly port: number;
  readonly backends: () => readonly Backend[];
}

const ATTEMPTS = 20;

/**
 * What kube-proxy is to a Service: an address of loopback whose TCP ports lead to the pods behind it, each connection to one by chance.
 * Nobody behind it: the connection is reset.
 */
export class ServiceRelay {
  private readonly sockets = new Set<Socket>();
  private servers: Server[] = [];

  private constructor(
    readonly address: string,
    /** Ports that this user may not listen at, such as those below 1024. */
    readonly refused: readonly number[],
  ) {}

  /** Listens when it resolves. */
  static async open(ports: readonly RelayedPort[]): Promise<ServiceRelay> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ServiceRelay.openAt(`127.250.${randomInt(0, 256)}.${randomInt(1, 255)}`, ports);
      } catch (error) {
        // Another sandbox of this machine may have the address.
        if (!isCode(error, 'EADDRINUSE') || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Ends its connections, too. Idempotent. */
  async close(): Promise<void> {
    const servers = this.servers.splice(0);
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }

  private static async openAt(address: string, ports: readonly RelayedPort[]): Promise<ServiceRelay> {
    const refused: number[] = [];
    const relay = new ServiceRelay(address, refused);
    try {
      for (const port of ports) await relay.listen(port).catch((error: unknown) => refuse(error, port, refused));
      return relay;
    } catch (error) {
      await relay.close();
      throw error;
    }
  }

  private async listen({ port, backends }: RelayedPort): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.relay(socket, backends()));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, this.address, resolve);
    });
    this.servers.push(server);
  }

  private relay(socket: Socket, backends: readonly Backend[]): void {
    const chosen = backends[randomInt(0, Math.max(backends.length, 1))];
    // A client that went away is no event.
    socket.on('error', () => undefined);
    if (!chosen) {
      socket.resetAndDestroy();
      return;
    }
    const onward = connect({ host: chosen.address, port: chosen.port, allowHalfOpen: true, noDelay: true });
    onward.on('error', () => socket.resetAndDestroy());
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.once('close', (hadError) => {
        this.sockets.delete(one);
        // One that ended in order has ended the other already, which may still have something to say.
        if (hadError || this.servers.length === 0) other.destroy();
      });
    }
  }
}

function refuse(error: unknown, { port }: RelayedPort, refused: number[]): void {
  if (!isCode(error, 'EACCES')) throw error;
  refused.push(port);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
