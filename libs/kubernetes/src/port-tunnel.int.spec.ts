import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { WebSocketServer, type WebSocket } from 'ws';
import { formatKubeconfig, kubeconfigFor } from './kubeconfig.js';
import { openPortTunnel, type PortTunnel } from './port-tunnel.js';
import { issueCertificate } from './testing/certificates.js';

const TARGET = { namespace: 'crate-system', pod: 'crate-postgres-0', port: 5432 };
const PATIENT = { timeoutMs: 60_000 };
const [DATA, ERRORS] = [0, 1];

describe('openPortTunnel', () => {
  let api: Server;
  let sockets: WebSocketServer;
  let tunnel: PortTunnel;
  let asked: (string | undefined)[];
  let held: Socket[];
  /** What the far end does with a connection; undefined: it refuses to make one. */
  let serve: ((client: WebSocket) => void) | undefined;

  beforeEach(async () => {
    asked = [];
    held = [];
    serve = echo;
    sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'v4.channel.k8s.io' });
    const { cert, key } = await issueCertificate();
    api = createServer({ cert, key });
    api.on('upgrade', (request: IncomingMessage, socket, head) => {
      asked.push(request.url, request.headers.authorization);
      const work = serve;
      if (!work) return socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, (client) => {
        for (const channel of [DATA, ERRORS]) client.send(Buffer.from([channel, 0x38, 0x15]));
        work(client);
      });
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const server = `https://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const credentials = { token: 'secret' };
    tunnel = await openPortTunnel(
      formatKubeconfig(kubeconfigFor({ name: 'platform', server, ca: cert, credentials })),
      TARGET,
    );
  });
  afterEach(async () => {
    await tunnel.close();
    for (const client of sockets.clients) client.terminate();
    api.close();
  });

  /** Says it to the tunnel, and gives what came back until it ended or all of it was heard. */
  async function say(text: string): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port: tunnel.port });
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    socket.write(text);
    await eventually(() => expect(socket.closed || heard.length >= text.length).toBe(true), PATIENT);
    socket.destroy();
    return heard;
  }

  it('leads each connection to the port of the pod, as whom the kubeconfig names', async () => {
    const text = 'SELECT 1;'.repeat(100_000);
    expect(await say(text)).toBe(text);
    expect(await say('SELECT 2')).toBe('SELECT 2');
    const path = '/api/v1/namespaces/crate-system/pods/crate-postgres-0/portforward?ports=5432';
    expect(asked).toEqual([path, 'Bearer secret', path, 'Bearer secret']);
  });

  it('ends a connection that cannot be led there, and leads the next one', async () => {
    serve = undefined;
    expect(await say('SELECT 1')).toBe('');
    serve = (client) => client.send(Buffer.from('\u0001error forwarding port 5432'));
    expect(await say('SELECT 1')).toBe('');
    serve = echo;
    expect(await say('SELECT 1')).toBe('SELECT 1');
  });

  it('ends a connection that the API never answers', async () => {
    api.removeAllListeners('upgrade');
    api.on('upgrade', (_request, socket: Socket) => held.push(socket.resume()));
    const socket = connect({ host: '127.0.0.1', port: tunnel.port }).on('error', () => undefined);
    await eventually(() => expect(held.map(({ destroyed }) => destroyed)).toEqual([false]), PATIENT);
    socket.destroy();
    await eventually(() => expect(held.map(({ destroyed }) => destroyed)).toEqual([true]), PATIENT);
  });

  it('hands over what the pod said last before it ended', async () => {
    serve = (client) => {
      client.send(Buffer.from('\u0000bye'));
      client.close();
    };
    expect(await say('a long question')).toBe('bye');
  });

  it('takes its connections along when it is closed, and those of a client that goes', async () => {
    const socket = connect({ host: '127.0.0.1', port: tunnel.port }).on('error', () => undefined);
    const other = connect({ host: '127.0.0.1', port: tunnel.port }).on('error', () => undefined);
    await eventually(() => expect(sockets.clients.size).toBe(2), PATIENT);
    other.destroy();
    await eventually(() => expect(sockets.clients.size).toBe(1), PATIENT);
    await tunnel.close();
    await eventually(() => expect([socket.destroyed, sockets.clients.size]).toEqual([true, 0]), PATIENT);
  });
});

function echo(client: WebSocket): void {
  client.on('message', (message: Buffer) => client.send(message));
}
