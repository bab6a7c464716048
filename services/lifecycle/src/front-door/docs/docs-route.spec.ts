import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLUSTER, PROJECT } from '@crate/api';
import { unauthenticated } from '@crate/errors';
import {
  KindRegistry,
  KubernetesRequestHandler,
  LocalResourceApi,
  LocalResourceRouter,
  OpenApiDocuments,
} from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { asyncApiRoute } from './asyncapi-route.js';
import { docsRoute } from './docs-route.js';
import { indexRoute } from './index-route.js';

let server: Server;
let url: string;
const kinds = new KindRegistry([{ definition: CLUSTER }]);

beforeAll(async () => {
  const router = new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds }));
  const documents = new OpenApiDocuments({ title: 'Test', version: 'v1' });
  const handler = new KubernetesRequestHandler({
    router,
    documents,
    authenticate: () => Promise.reject(unauthenticated()),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
    extraRoutes: [docsRoute({ kinds: router, documents }), asyncApiRoute('v1'), indexRoute()],
  });
  server = createServer((request, response) => void handler.handle(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${url}${path}`, { method, headers, redirect: 'manual' });
}

describe('/docs', () => {
  it.each(['/docs', '/docs/'])('shows a page at %s without a token', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('runs nothing inline and takes nothing from elsewhere', async () => {
    const response = await get('/docs');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const page = await response.text();
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/<script>|<style|style=|onload=/);
  });

  it('has every file that the page names, and lets browsers keep the renderer', async () => {
    const page = await (await get('/docs')).text();
    const files = [...page.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const response = await get(file);
      expect([file, response.status]).toEqual([file, 200]);
      const isRenderer = /swagger-ui|favicon/.test(file);
      expect(response.headers.get('cache-control')).toBe(
        isRenderer ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
  });

  it('follows the kinds that are served', async () => {
    const shown = async (): Promise<string> => (await get('/docs/openapi.json')).text();
    expect(await shown()).not.toContain('/projects');
    kinds.add({ definition: PROJECT });
    expect(await shown()).toContain('/apis/lifecycle.crate.dev/v1alpha1/projects');
    kinds.remove({ group: PROJECT.group, version: PROJECT.version, plural: PROJECT.plural });
  });

  it('sends little: compressed, and nothing that is known', async () => {
    const response = await get('/docs/openapi.json', { 'accept-encoding': 'gzip' });
    expect(Number(response.headers.get('content-length'))).toBeLessThan((await response.text()).length / 5);
    const known = await get('/docs/openapi.json', { 'if-none-match': response.headers.get('etag') ?? '' });
    expect(known.status).toBe(304);
  });

  it('answers HEAD without a body', async () => {
    const response = await get('/docs', {}, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each(['/docs/nothing', '/docs/assets/0.0.0/swagger-ui.css', '/docs/assets/%2e%2e/x'])(
    'knows no %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe('/asyncapi', () => {
  it.each([
    { path: '/asyncapi', accept: '*/*', type: 'application/yaml' },
    { path: '/asyncapi', accept: 'application/json', type: 'application/json' },
    { path: '/asyncapi', accept: 'text/html,*/*', type: 'text/plain; charset=utf-8' },
    { path: '/asyncapi.json', accept: '*/*', type: 'application/json' },
    { path: '/asyncapi.yaml', accept: 'application/json', type: 'application/yaml' },
  ])('gives $type at $path to who accepts $accept', async ({ path, accept, type }) => {
    const response = await get(path, { accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(await response.text()).toMatch(/"?asyncapi"?: ?"?3\.0\.0/);
  });
});

describe('/', () => {
  it.each([
    { who: 'curl', accept: '*/*', type: 'text/plain; charset=utf-8', says: '/docs' },
    { who: 'a program', accept: 'application/json', type: 'application/json', says: '"/openapi/v3"' },
    { who: 'a reader of YAML', accept: 'application/yaml', type: 'application/yaml', says: '- /openapi/v3' },
  ])('tells $who what is where', async ({ accept, type, says }) => {
    const response = await get('/', { accept });
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toContain(says);
  });

  it('sends browsers to the reference', async () => {
    const response = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  });
});
