import { connect, type Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** The only protocol spoken. Source: https://pkg.go.dev/k8s.io/kubelet/pkg/cri/streaming/portforward */
export const PORT_FORWARD_PROTOCOL = 'v4.channel.k8s.io';

/** What the other end of a WebSocket is to be led to. */
export interface Forwarding {
  readonly address: string;
  readonly ports: readonly number[];
}

/**
 * Passes on what a client sends and what the ports say, until the client goes or all ports have ended. Of each port there are two channels, data and
 * then errors, named by the first byte of each message; the first message of a channel says the port, so that a client knows which it is.
 */
export function forwardPorts(client: WebSocket, { address, ports }: Forwarding): void {
  const sockets = new Map(ports.map((port, index) => [index * 2, forwardPort(client, { address, port }, index * 2)]));
  client.on('message', (message: Buffer) => {
    const socket = sockets.get(message[0] ?? -1);
    if (!socket || socket.destroyed || socket.write(message.subarray(1))) return;
    // One port that does not take its data holds the client up, as the protocol has no windows.
    client.pause();
  });
  // A client that breaks the protocol or goes away is closed by the library.
  client.on('error', () => undefined);
  client.once('close', () => {
    for (const socket of sockets.values()) socket.destroy();
  });
  for (const socket of sockets.values()) {
    socket.on('drain', () => client.resume());
    socket.once('close', () => {
      client.resume();
      if ([...sockets.values()].every(({ destroyed }) => destroyed)) client.close();
    });
  }
}

function forwardPort(
  client: WebSocket,
  { address, port }: { readonly address: string; readonly port: number },
  channel: number,
): Socket {
  const [data, errors] = [channel, channel + 1];
  for (const each of [data, errors]) client.send(Buffer.from([each, port % 256, Math.floor(port / 256)]));
  const socket = connect({ host: address, port, noDelay: true });
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    client.send(Buffer.concat([Buffer.from([data]), chunk]), () => socket.resume());
  });
  socket.once('error', ({ message }) => {
    client.send(Buffer.concat([Buffer.from([errors]), Buffer.from(`error forwarding port ${port}: ${message}`)]));
  });
  return socket;
}
