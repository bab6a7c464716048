import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@crate/telemetry';
import type { ClusterCertificates } from './cluster-record.js';

/** Address and port of a load balancer. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Who answers what the listener takes in. */
export interface ApiHandlers {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** A request that asks for another protocol; the connection is the handler's. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>;
}

const RETRY_MS = 1000;

/** The TLS server of one cluster's API: open while there is somewhere to listen, closed otherwise. */
export class ClusterListener {
  private server: Server | undefined;
  /** Connections of other protocols, which the server no longer counts among its own. */
  private readonly upgraded = new Set<Socket>();
  private open: Endpoint | undefined;
  private retry: NodeJS.Timeout | undefined;
  private changing: Promise<void> = Promise.resolve();

  constructor(
    private readonly certificates: () => ClusterCertificates,
    private readonly handlers: ApiHandlers,
    private readonly logger: Logger,
  ) {}

  /** Listens at `endpoint` and nowhere else; undefined closes. Idempotent; resolves when it is so. */
  listenAt(endpoint: Endpoint | undefined): Promise<void> {
    this.changing = this.changing.then(() => this.change(endpoint));
    return this.changing;
  }

  /** Takes new certificates for new connections. */
  reloadCertificates(): void {
    this.server?.setSecureContext(this.context());
  }

  private async change(endpoint: Endpoint | undefined): Promise<void> {
    clearTimeout(this.retry);
    if (endpoint?.address === this.open?.address && endpoint?.port === this.open?.port) return;
    await this.stop();
    if (!endpoint) return;
    try {
      this.server = await this.start(endpoint);
      this.open = endpoint;
    } catch (error) {
      // Such as an address that a process on its way out still holds.
      this.logger.warn('Listening for a cluster failed, trying again', { ...endpoint, error });
      this.retry = setTimeout(() => void this.listenAt(endpoint), RETRY_MS);
      this.retry.unref();
    }
  }

  private start({ address, port }: Endpoint): Promise<Server> {
    const options = { ...this.context(), requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' as const };
    const server = createServer(options, (request, response) => void this.handlers.handle(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.upgrade(request, socket, head),
    );
    // A client that hangs up during the handshake is no event.
    server.on('tlsClientError', () => undefined);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, () => {
        server.off('error', reject);
        resolve(server);
      });
    });
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.upgraded.add(socket);
    socket.once('close', () => this.upgraded.delete(socket));
    // A client that hangs up is no event.
    socket.on('error', () => undefined);
    void this.handlers.handleUpgrade(request, socket, head);
  }

  private async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.open = undefined;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    for (const socket of this.upgraded) socket.destroy();
    await closed;
  }

  private context(): { readonly ca: string; readonly cert: string; readonly key: string } {
    const { ca, serverCertificate, serverKey } = this.certificates();
    return { ca, cert: serverCertificate, key: serverKey };
  }
}
