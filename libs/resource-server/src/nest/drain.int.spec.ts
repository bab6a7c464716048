import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { InMemoryLogger } from '@crate/telemetry';
import { CONTEXT, localApi } from '../fixtures/local-api.js';
import { selfSignedCertificate } from '../fixtures/certificate.js';
import type { KubernetesRequestHandlerOptions } from '../http/kubernetes-request-handler.js';
import { LocalResourceRouter } from '../kinds/local-resource-router.js';
import { createResourceHttpServer, type ResourceHttpServer } from './resource-http-server.js';

/** Longer than any test: whoever leaves by himself ends it sooner. */
const PATIENT = { drainMs: 60_000 };

const WATCH = '/api/v1/namespaces/team-a/configmaps?watch=true';

let servers: ResourceHttpServer[];
let agent: Agent;
beforeEach(() => {
  servers = [];
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(async () => {
  agent.destroy();
  await Promise.all(servers.map((server) => server.close()));
});

function options(): KubernetesRequestHandlerOptions {
  const { api, kinds } = localApi();
  return {
    router: new LocalResourceRouter(kinds, api),
    authenticate: () => Promise.resolve(CONTEXT.caller),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
  };
}

async function open(more: object = {}): Promise<ResourceHttpServer> {
  const server = await createResourceHttpServer({ ...options(), listener: PATIENT, ...more });
  servers.push(server);
  return server;
}

async function ask(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(`${url}/version`, { agent }), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

describe('a listener that closes', () => {
  it('answers on connections that are open, tells them to go, and takes no new ones', async () => {
    const server = await open();
    const url = await server.listen(0, '127.0.0.1');
    expect((await ask(url)).headers.connection).toBe('keep-alive');

    const closed = server.close();
    const last = await ask(url);
    expect([last.statusCode, last.headers.connection]).toEqual([200, 'close']);
    await closed;
    await expect(once(connect(Number(new URL(url).port), '127.0.0.1'), 'connect')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('answers those whom the system has connected to it, and it has not seen yet', async () => {
    const server = await open();
    const { port } = new URL(await server.listen(0, '127.0.0.1'));
    const asked = Array.from({ length: 8 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write('GET /version HTTP/1.1\r\nhost: here\r\n\r\n');
      return (await buffer(socket)).toString();
    });
    const closed = server.close();
    for (const answer of await Promise.all(asked)) expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    await closed;
  });

  it('ends watches at once, and answers who comes back for the next one on the same connection', async () => {
    const server = await open();
    const url = await server.listen(0, '127.0.0.1');
    const watch = async (): Promise<IncomingMessage> => {
      const [response] = (await once(get(`${url}${WATCH}`, { agent }), 'response')) as [IncomingMessage];
      return response.resume();
    };
    const first = await watch();
    const { socket } = first;

    const closed = server.close();
    await once(first, 'end');
    const next = await watch();
    expect(next.socket).toBe(socket);
    expect([next.statusCode, next.headers.connection]).toEqual([200, 'close']);
    await once(next, 'end');
    await closed;
  });

  it('sends clients of HTTP/2 away without an error', async () => {
    const { cert, key } = selfSignedCertificate();
    const server = await open({ tls: { cert, key }, http2: true });
    const client = connectHttp2(await server.listen(0, '127.0.0.1'), { ca: cert });
    const failures: unknown[] = [];
    client.on('error', (error) => failures.push(error));
    await once(client, 'connect');

    const gone = once(client, 'close');
    await server.close();
    await gone;
    expect(failures).toEqual([]);
  });

  it('cuts what is idle in the end', async () => {
    const server = await open({ listener: { drainMs: 50, closeTimeoutMs: 50 } });
    const socket = connect(Number(new URL(await server.listen(0, '127.0.0.1')).port), '127.0.0.1');
    const gone = once(socket, 'close');
    await once(socket, 'connect');
    await server.close();
    await gone;
  });
});

describe('a port for two', () => {
  it('is taken over without a gap', async () => {
    const [before, after] = [await open(), await open()];
    const url = await before.listen(0, '127.0.0.1', { reusePort: true });
    await after.listen(Number(new URL(url).port), '127.0.0.1', { reusePort: true });
    await before.close();
    expect((await ask(url)).statusCode).toBe(200);
  });

  it('is refused to who does not ask for it', async () => {
    const url = await (await open()).listen(0, '127.0.0.1', { reusePort: true });
    await expect((await open()).listen(Number(new URL(url).port), '127.0.0.1')).rejects.toThrow(/EADDRINUSE/);
  });
});
