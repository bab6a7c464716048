import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { notFound, PlatformError, toStatus, forbidden } from '@crate/errors';
import { createAuthority } from '@crate/sandbox';
import { freePort } from '@crate/testing';
import { reachFailure } from '../doctor/reach.js';
import { errorLines } from '../output/error-text.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate } from '../up/certificates.js';
import type { DataDir } from '../up/data-dir.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { ApiClient } from './api-client.js';

let dir: DataDir;
let server: Server;
let ca: string;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;

beforeAll(async () => {
  dir = await temporaryDataDir();
  const certificate = await ensureServerCertificate(dir);
  ({ ca } = certificate);
  const [cert, key] = await Promise.all([readFile(certificate.certificateFile), readFile(certificate.keyFile)]);
  server = createServer({ cert, key }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await removeDataDir(dir);
});
beforeEach(() => {
  answer = (_request, response) => response.end('{}');
});

async function connect(overrides: { server?: string; ca?: string } = {}): Promise<ApiClient> {
  const file = dir.adminKubeconfig();
  await writeSecretFile(file, renderKubeconfig({ server: url, ca, token: 'token-1', user: 'admin', ...overrides }));
  return ApiClient.fromKubeconfig(file);
}

function unexpected(): never {
  throw new Error('It was to fail');
}

function refuseWith(error: Error): void {
  answer = (_request, response) => {
    const status = toStatus(error);
    response.statusCode = status.code;
    response.end(JSON.stringify(status));
  };
}

describe('ApiClient', () => {
  it.each(['', '.', '..'])('takes no collection for an object without a name: "%s"', async (name) => {
    let asked = 0;
    answer = (_request, response) => response.end(`{"asked":${(asked += 1)}}`);
    const client = await connect();
    const refused = { code: 'BadRequest', message: `"${name}" is no name: say which one is meant` };
    const [object, ofProject] = [`/apis/x/things/${name}`, `/apis/x/namespaces/${name}/things?limit=5`];
    for (const path of [object, ofProject]) {
      await expect(client.remove(path)).rejects.toMatchObject(refused);
      await expect(client.removeExisting(path, { dryRun: true })).rejects.toMatchObject(refused);
      await expect(client.get(path)).rejects.toMatchObject(refused);
      await expect(client.find(path)).rejects.toMatchObject(refused);
      await expect(client.merge(path, {})).rejects.toMatchObject(refused);
      await expect(client.bytes(path)).rejects.toMatchObject(refused);
    }
    expect(asked).toBe(0);
  });

  it('says which program it is, so that fields that it changes have an owner by name', async () => {
    const agents: unknown[] = [];
    answer = ({ headers }, response) => {
      agents.push(headers['user-agent']);
      response.end('{}');
    };
    const api = await connect();
    await api.merge('/apis/x', {});
    for await (const _ of api.lines('/logs'));
    expect(agents).toEqual(['crate-cli', 'crate-cli']);
  });

  it('finds an object, with the token of the kubeconfig', async () => {
    answer = ({ headers, method, url: path }, response) =>
      response.end(JSON.stringify({ method, path, authorization: headers.authorization }));
    expect(await (await connect()).find('/apis/x')).toEqual({
      method: 'GET',
      path: '/apis/x',
      authorization: 'Bearer token-1',
    });
  });

  it('gives undefined for what is absent, and throws what the API answered', async () => {
    const client = await connect();
    refuseWith(notFound('clusters', 'demo'));
    expect(await client.find('/x')).toBeUndefined();
    await client.remove('/x');

    refuseWith(forbidden('Cluster "demo" is denied by policy'));
    await expect(client.find('/x')).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('denied'),
    });
    await expect(client.text('/x')).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(client.remove('/x')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it.each([
    {
      reason: 'the owner of the kind is away',
      body: JSON.stringify(toStatus(new PlatformError('NotFound', 'no path'))),
    },
    { reason: 'a proxy has no way to the platform', body: '404 page not found' },
    { reason: 'a proxy says so in JSON', body: '{"message":"no Route matched with those values"}' },
  ])('takes nothing for absent while $reason', async ({ body }) => {
    answer = (_request, response) => response.writeHead(404).end(body);
    const client = await connect();
    await expect(client.find('/x')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(client.remove('/x')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('applies by the server, as crate-cli', async () => {
    answer = ({ method, url: path, headers }, response, body) =>
      response.end(JSON.stringify({ method, path, type: headers['content-type'], body: JSON.parse(body) as unknown }));
    expect(await (await connect()).apply('/x', { kind: 'Project' })).toEqual({
      method: 'PATCH',
      path: '/x?fieldManager=crate-cli&force=true',
      type: 'application/apply-patch+yaml',
      body: { kind: 'Project' },
    });
  });

  it('understands a refusal in YAML, where that is accepted', async () => {
    answer = (_request, response) => {
      response.statusCode = 404;
      response.end('kind: Status\ncode: 404\nreason: NotFound\nmessage: clusters "demo" not found\n');
    };
    await expect((await connect()).text('/x', 'application/yaml')).rejects.toMatchObject({
      code: 'NotFound',
      message: 'clusters "demo" not found',
    });
  });

  it.each(['<!doctype html><title>Sign in</title>', '', 'clusters: []\nusers: []\n', '{"kind":"Config"}'])(
    'takes nothing else for a kubeconfig: "%s"',
    async (body) => {
      answer = (_request, response) => response.writeHead(200).end(body);
      await expect((await connect()).kubeconfig('/x')).rejects.toMatchObject({
        code: 'Unavailable',
        message: `${url} answered 200, which is no answer of the API`,
      });
    },
  );

  it.each([
    { status: 502, body: '<html>Bad Gateway</html>' },
    { status: 200, body: '<!doctype html><title>Sign in</title>' },
    { status: 200, body: '' },
    { status: 302, body: '' },
  ])('names who answered something that is no answer of the API: $status "$body"', async ({ status, body }) => {
    answer = (_request, response) => response.writeHead(status).end(body);
    const client = await connect();
    const refused = { code: 'Unavailable', message: `${url} answered ${status}, which is no answer of the API` };
    await expect(client.find('/x')).rejects.toMatchObject(refused);
    await expect(client.get('/x')).rejects.toMatchObject(refused);
    await expect(client.merge('/x', {})).rejects.toMatchObject(refused);
  });

  it.each([
    { status: 403, body: 'RBAC: access denied', words: 'RBAC: access denied' },
    {
      status: 503,
      body: 'upstream connect error. reset reason: connection failure\n',
      words: 'upstream connect error. reset reason: connection failure',
    },
    { status: 401, body: '{"error":"Unauthorized"}', words: '{"error":"Unauthorized"}' },
    { status: 404, body: '{\n  "message":"no Route matched"\n}', words: '{ "message":"no Route matched" }' },
    {
      status: 403,
      body: `error code: 1020\u001b[2J${'x'.repeat(300)}`,
      words: `error code: 1020 [2J${'x'.repeat(180)}…`,
    },
  ])('says what a proxy says: $status "$words"', async ({ status, body, words }) => {
    answer = (_request, response) => response.writeHead(status).end(body);
    await expect((await connect()).get('/x')).rejects.toMatchObject({
      code: 'Unavailable',
      message: `${url} answered ${status}, which is no answer of the API: ${words}`,
    });
  });

  it('takes no other place that it is sent to for an answer', async () => {
    answer = (_request, response) => response.writeHead(302, { location: 'https://elsewhere.invalid' }).end('moved');
    const client = await connect();
    for (const asked of [client.text('/x'), client.bytes('/x'), client.lines('/x').next()]) {
      await expect(asked).rejects.toMatchObject({ code: 'Unavailable' });
    }
  });

  it.each([
    { reason: 'an object', ask: async (api: ApiClient) => api.find('/x') },
    { reason: 'a text', ask: async (api: ApiClient) => api.text('/x') },
    { reason: 'a file', ask: async (api: ApiClient) => api.bytes('/x') },
  ])('says so when the answer is broken off: $reason', async ({ ask }) => {
    answer = ({ socket }, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('0123456789', () => socket.end());
    };
    await expect(ask(await connect())).rejects.toMatchObject({
      code: 'Unavailable',
      message: `${url} broke off its answer`,
    });
  });

  it.each([
    { reason: 'in order', end: (response: ServerResponse) => response.end(), want: undefined },
    { reason: 'broken off', end: (response: ServerResponse) => response.destroy(), want: { code: 'Unavailable' } },
  ])('gives whole lines of a stream that ends $reason', async ({ end, want }) => {
    let opened: (() => void) | undefined;
    answer = (_request, response) => {
      response.writeHead(200).write('a\nb\n');
      opened = () => end(response);
    };
    const lines = (await connect()).lines('/logs');
    expect(await lines.next()).toMatchObject({ value: 'a' });
    opened?.();
    expect(await lines.next()).toMatchObject({ value: 'b' });
    const last = lines.next();
    if (want) await expect(last).rejects.toMatchObject(want);
    else expect(await last).toMatchObject({ done: true });
  });

  it('tells that a stream begins, and not of a refusal', async () => {
    const onOpen = jest.fn();
    const client = await connect();
    for await (const _ of client.lines('/logs', { onOpen }));
    expect(onOpen).toHaveBeenCalledTimes(1);
    refuseWith(forbidden('no'));
    await expect(client.lines('/logs', { onOpen }).next()).rejects.toMatchObject({ code: 'Forbidden' });
    expect(onOpen).toHaveBeenCalledTimes(1);
  });

  it('does not wait for ever for the rest of an answer', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('0123456789');
    };
    const api = (await connect()).with({ timeoutMs: 100 });
    const failure = await api.find('/x').then(unexpected, (error: PlatformError) => error);
    expect(errorLines(failure)).toEqual([`Cannot reach ${url}: it did not answer in time`]);
  });

  it('says that nobody answered in time, also where an answer is read as it comes', async () => {
    // As behind a firewall that drops what is sent: no handshake is ever over.
    const silent = createTcpServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const api = (await connect({ server })).with({ timeoutMs: 50 });
    for (const ask of [async () => api.find('/x'), async () => api.lines('/x').next()]) {
      const failure = await ask().then(unexpected, (error: PlatformError) => error);
      expect(failure.code).toBe('Unavailable');
      expect(errorLines(failure)).toEqual([`Cannot reach ${server}: it did not answer in time`]);
      expect(reachFailure(failure)).toBe('none');
    }
    silent.close();
  });

  it('is ready by the answer to readiness alone', async () => {
    const client = await connect();
    answer = ({ url: path }, response) => {
      response.statusCode = path === '/readyz' ? 200 : 500;
      response.end('ok');
    };
    expect(await client.isReady()).toBe(true);
    answer = (_request, response) => response.end('<html>Sign in</html>');
    expect(await client.isReady()).toBe(false);
    refuseWith(forbidden('no'));
    expect(await client.isReady()).toBe(false);
    expect(await (await connect({ server: `https://127.0.0.1:${await freePort()}` })).isReady()).toBe(false);
  });

  it('talks to nobody that the authority does not vouch for', async () => {
    const { certificate } = await createAuthority('Another CA');
    const client = await connect({ ca: certificate });
    let asked = false;
    answer = () => (asked = true);

    await expect(client.find('/x')).rejects.toMatchObject({ code: 'Unavailable', message: `Cannot reach ${url}` });
    expect(asked).toBe(false);
  });

  it('refuses a kubeconfig without a cluster', async () => {
    await writeSecretFile(dir.adminKubeconfig(), 'clusters: []\nusers: []\n');
    await expect(ApiClient.fromKubeconfig(dir.adminKubeconfig())).rejects.toThrow('does not name its administrator');
  });
});
