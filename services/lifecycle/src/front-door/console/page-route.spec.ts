import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { unauthenticated } from '@crate/errors';
import {
  KindRegistry,
  KubernetesRequestHandler,
  LocalResourceApi,
  LocalResourceRouter,
  type ExtraRoute,
} from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { ConsoleFiles } from './console-files.js';
import { noConsoleRoute, pageRoute } from './page-route.js';

const PAGE = '<!doctype html><div id="root"></div>';
const SCRIPT = 'console.log(1);\n'.repeat(100);

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let directory: string;
let dist: string;
let port: number;
const servers: Server[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-page-'));
  dist = join(directory, 'dist');
  await mkdir(join(dist, 'assets'), { recursive: true });
  await writeFile(join(dist, 'index.html'), PAGE);
  await writeFile(join(dist, 'crate.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(dist, 'assets', 'index-abc123.js'), SCRIPT);
  await writeFile(join(directory, 'secret.txt'), 'for nobody');
  await symlink(join(directory, 'secret.txt'), join(dist, 'assets', 'link.txt'));
  port = await serve(pageRoute(await ConsoleFiles.open(dist)));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(directory, { recursive: true });
});

async function serve(route: ExtraRoute): Promise<number> {
  const kinds = new KindRegistry([]);
  const handler = new KubernetesRequestHandler({
    router: new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds })),
    authenticate: () => Promise.reject(unauthenticated()),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
    extraRoutes: [route],
  });
  const server = createServer((asked, response) => void handler.handle(asked, response)).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

/** Paths go out as they are, dots and all. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET', at = port): Promise<Got> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: at, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    call.on('error', reject).end();
  });
}

describe('the console', () => {
  it.each(['/console/', '/console/index.html', '/console/clusters/team-a/demo', '/console/sign-in?error=x'])(
    'shows its page at %s, which browsers do not keep',
    async (path) => {
      const { status, headers, body } = await get(path);
      expect([status, body.toString()]).toEqual([200, PAGE]);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    },
  );

  it('leads to itself without a slash', async () => {
    const { status, headers } = await get('/console');
    expect([status, headers.location]).toEqual([302, '/console/']);
  });

  it('lets nothing run that it did not bring, and nobody frame it', async () => {
    const { headers } = await get('/console/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('lets browsers keep what is named after its content, and asks for the rest anew', async () => {
    expect((await get('/console/assets/index-abc123.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
    const icon = await get('/console/crate.svg');
    expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' });
    const known = await get('/console/crate.svg', { 'if-none-match': `W/${icon.headers.etag}` });
    expect([known.status, known.body.length]).toEqual([304, 0]);
  });

  it.each([
    { accepted: 'gzip, deflate, br', encoding: 'br', open: brotliDecompressSync },
    { accepted: 'gzip;q=0.5, br;q=0', encoding: 'gzip', open: gunzipSync },
    { accepted: 'identity', encoding: undefined, open: (body: Buffer) => body },
  ])('is sent as a client takes it: $accepted', async ({ accepted, encoding, open }) => {
    const { headers, body } = await get('/console/assets/index-abc123.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(open(body).toString()).toBe(SCRIPT);
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, body } = await get('/console/', {}, 'HEAD');
    expect([status, headers['content-length'], body.length]).toEqual([200, String(PAGE.length), 0]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('is not there for %s', async (method) => {
    const { status, headers } = await get('/console/', {}, method);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    '/console/../secret.txt',
    '/console/assets/../../secret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..%2fsecret.txt',
    '/console/assets/..%5c..%5csecret.txt',
    '/console/assets/link.txt',
    '/console//etc/passwd',
    '/console/assets/%00',
  ])('never leads to another file: %s', async (path) => {
    const { body } = await get(path);
    expect(body.toString()).not.toContain('for nobody');
    expect(body.toString()).not.toContain('root:');
  });

  it('has no page in place of an asset that is not there', async () => {
    expect((await get('/console/assets/index-old.js')).status).toBe(404);
  });

  it('follows a new build', async () => {
    await writeFile(join(dist, 'assets', 'index-new.js'), 'new');
    expect((await get('/console/assets/index-new.js')).status).toBe(404);
    await utimes(join(dist, 'index.html'), 1, 1);
    await get('/console/');
    expect((await get('/console/assets/index-new.js')).body.toString()).toBe('new');
  });

  it('must be where it is said to be', async () => {
    await expect(ConsoleFiles.open(directory)).rejects.toMatchObject({ code: 'InvalidSpec' });
  });
});

describe('without a console', () => {
  it.each(['/console', '/console/', '/console/session', '/console/login'])(
    '%s says that there is none',
    async (path) => {
      const { status, body } = await get(path, {}, 'GET', await serve(noConsoleRoute()));
      expect(status).toBe(404);
      expect(JSON.parse(body.toString())).toMatchObject({
        kind: 'Status',
        reason: 'NotFound',
        message: expect.stringContaining('not installed'),
      });
    },
  );
});
