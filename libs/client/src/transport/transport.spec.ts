import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { withRetries } from './retry.js';
import { Transport } from './transport.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function addressOf(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('withRetries', () => {
  it('asks again what never reached the server, whatever it asks for', async () => {
    const transport = new Transport({ server: 'http://127.0.0.1:9' });
    let calls = 0;
    const create = (): Promise<IncomingMessage> => {
      calls += 1;
      return transport.open({ method: 'POST', path: '/' });
    };
    const outcome = withRetries(create, { attempts: 2 }, { isRepeatable: false });
    await expect(outcome).rejects.toMatchObject({ code: 'Unavailable' });
    expect(calls).toBe(2);
  });
});

describe('Transport', () => {
  it.each([
    { server: '', asked: '/readyz?verbose=true' },
    { server: '/', asked: '/readyz?verbose=true' },
    { server: '/crate/', asked: '/crate/readyz?verbose=true' },
    { server: '/k8s/crate', asked: '/k8s/crate/readyz?verbose=true' },
  ])('asks below the path of the server: "$server"', async ({ server, asked }) => {
    const address = await addressOf(createServer(({ url }, response) => response.end(url)));
    const transport = new Transport({ server: `http://${address}${server}` });
    const answer: IncomingMessage = await transport.open({ method: 'GET', path: '/readyz?verbose=true' });
    expect(String((await answer.toArray())[0])).toBe(asked);
    transport.close();
  });

  it('asks for the server by the name that its certificate is for', async () => {
    const server = createTcpServer();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const transport = new Transport({ server: `https://${await addressOf(server)}`, tlsServerName: 'crate-lifecycle' });
    const failed = transport.open({ method: 'GET', path: '/readyz' }).catch((error: unknown) => error);
    const [socket] = await connected;
    const [hello] = (await once(socket, 'data')) as [Buffer];
    expect(hello.includes('crate-lifecycle')).toBe(true);
    socket.destroy();
    expect(await failed).toMatchObject({ code: 'Unavailable' });
    transport.close();
  });
});
