import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@crate/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { forwardPorts } from './port-forwarding.js';

const HOST = '127.0.0.1';
const PATIENT = { timeoutMs: 60_000 };
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

describe('forwardPorts', () => {
  let listener: Server;
  let server: WebSocketServer;
  let behind: Socket[];
  beforeEach(async () => {
    behind = [];
    listener = createServer((socket) => behind.push(socket.on('error', () => undefined)));
    listener.listen(0, HOST);
    server = new WebSocketServer({ host: HOST, port: 0 });
    await Promise.all([once(listener, 'listening'), once(server, 'listening')]);
  });
  afterEach(() => {
    for (const socket of behind) socket.destroy();
    for (const client of server.clients) client.terminate();
    server.close();
    listener.close();
  });

  /** A client that is led to the ports, and what it heard on each channel. */
  async function clientOf(
    ...ports: readonly number[]
  ): Promise<{ client: WebSocket; heard: (channel: number) => Buffer }> {
    server.once('connection', (client) => forwardPorts(client, { address: HOST, ports }));
    const messages: Buffer[] = [];
    const client = new WebSocket(`ws://${HOST}:${portOf(server)}`);
    client.on('message', (message: Buffer) => messages.push(message));
    await once(client, 'open');
    const heard = (channel: number): Buffer =>
      Buffer.concat(messages.filter(([first]) => first === channel).map((message) => message.subarray(1)));
    return { client, heard };
  }

  it('passes everything on in both directions, however much', async () => {
    const { client, heard } = await clientOf(portOf(listener));
    await eventually(() => expect(behind).toHaveLength(1), PATIENT);
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
    behind[0]?.pipe(behind[0]);
    client.send(Buffer.concat([Buffer.from([0]), sent]));

    await eventually(() => expect(heard(0)).toHaveLength(sent.length + 2), PATIENT);
    expect(heard(0).readUInt16LE()).toBe(portOf(listener));
    expect(heard(0).subarray(2).equals(sent)).toBe(true);
  });

  it('says on the second channel of a port why it leads nowhere, and goes on with the others', async () => {
    const closed = await freePort();
    const { client, heard } = await clientOf(closed, portOf(listener));
    await eventually(() => expect(heard(1).toString()).toContain(`error forwarding port ${closed}`), PATIENT);
    await eventually(() => expect(behind).toHaveLength(1), PATIENT);
    behind[0]?.end('bye');

    await eventually(() => expect(client.readyState).toBe(WebSocket.CLOSED), PATIENT);
    expect(heard(2).subarray(2).toString()).toBe('bye');
  });

  it('ends the connection to the pod when the client goes', async () => {
    const { client } = await clientOf(portOf(listener));
    await eventually(() => expect(behind).toHaveLength(1), PATIENT);
    behind[0]?.resume();
    client.terminate();

    await eventually(() => expect(behind[0]?.destroyed).toBe(true), PATIENT);
  });
});
