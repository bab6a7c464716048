import { createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { formatKubeconfig, parseKubeconfig } from './kubeconfig.js';

export interface TunnelTarget {
  readonly namespace: string;
  readonly pod: string;
  /** Of the pod, not of a Service in front of it. */
  readonly port: number;
}

/** A port of this machine behind which is that of a pod. */
export interface PortTunnel {
  /** At 127.0.0.1. */
  readonly port: number;
  /** Ends all connections. Idempotent. */
  close(): Promise<void>;
}

/** Load balancers forget connections that nothing is heard of. */
const PING_MS = 30_000;

/** One that an API never answered would keep its process from ending. */
const HANDSHAKE_MS = 10_000;

/**
 * Leads connections of this machine to a port of a pod through the API of its cluster, as `kubectl port-forward` does. Each connection asks for the pod
 * anew: one that cannot be led there ends at once, and the next one may work. Throws BadRequest for a kubeconfig that cannot be read.
 */
export async function openPortTunnel(kubeconfig: string, target: TunnelTarget): Promise<PortTunnel> {
  const text = formatKubeconfig(parseKubeconfig(kubeconfig));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // Its owner is told by the end of it.
    socket.once('close', () => sockets.delete(socket));
    forward(socket, text, target).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, close };
}

async function forward(socket: Socket, kubeconfig: string, { namespace, pod, port }: TunnelTarget): Promise<void> {
  // Loaded with the first connection: most of what uses this library needs none.
  const { KubeConfig, PortForward } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const credentials = config.applyToHTTPSOptions.bind(config);
  // The options of the WebSocket are nowhere else within reach.
  config.applyToHTTPSOptions = (options) => credentials(Object.assign(options, { handshakeTimeout: HANDSHAKE_MS }));
  const errors = new PassThrough();
  errors.once('data', () => socket.destroy());
  const client = await new PortForward(config).portForward(namespace, pod, [port], socket, errors, socket);
  if (typeof client === 'function') return; // Of clients that begin anew by themselves, which was not asked for.
  const pings = setInterval(() => client.ping(), PING_MS).unref();
  client.on('close', () => {
    clearInterval(pings);
    socket.end();
  });
  const end = (): void => client.close();
  socket.once('close', end);
  if (socket.destroyed) end();
}
