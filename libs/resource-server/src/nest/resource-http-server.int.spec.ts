import { afterEach, describe, expect, it } from '@jest/globals';
import { request } from 'node:https';
import { InMemoryLogger } from '@crate/telemetry';
import { aCluster, CONTEXT, localApi } from '../fixtures/local-api.js';
import { selfSignedCertificate } from '../fixtures/certificate.js';
import type { KubernetesRequestHandlerOptions } from '../http/kubernetes-request-handler.js';
import { LocalResourceRouter } from '../kinds/local-resource-router.js';
import { createResourceHttpServer, type ResourceHttpServer } from './resource-http-server.js';

const COLLECTION = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';

let server: ResourceHttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
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

describe('createResourceHttpServer', () => {
  it('serves the API over NestJS and Fastify', async () => {
    server = await createResourceHttpServer(options());
    const url = await server.listen(0, '127.0.0.1');

    const created = await fetch(`${url}${COLLECTION}`, {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
      body: JSON.stringify(aCluster()),
    });
    expect(created.status).toBe(201);
    const listed = (await (await fetch(`${url}${COLLECTION}`)).json()) as { items: unknown[] };
    expect(listed.items).toHaveLength(1);
  });

  it.each([
    { path: '/', code: 404 },
    { path: '/version', code: 200 },
    { path: '/nothing/here', code: 404 },
  ])('answers $path with $code and JSON', async ({ path, code }) => {
    server = await createResourceHttpServer(options());
    const url = await server.listen(0, '127.0.0.1');
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(code);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('passes media types on that Fastify does not know', async () => {
    server = await createResourceHttpServer(options());
    const url = await server.listen(0, '127.0.0.1');
    const response = await fetch(`${url}${COLLECTION}`, {
      method: 'POST',
      headers: { 'content-type': 'application/cbor' },
      body: 'x',
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ kind: 'Status', reason: 'UnsupportedMediaType' });
  });

  it.each([
    { what: 'a media type that is none', path: COLLECTION, type: ';;;', body: '{]', code: 400 },
    { what: 'an empty media type', path: COLLECTION, type: ' ', body: '[', code: 400 },
    { what: 'a malformed path', path: '/apis/%zz', type: 'application/json', body: '{}', code: 400 },
  ])('answers $what with a Status', async ({ path, type, body, code }) => {
    server = await createResourceHttpServer(options());
    const url = await server.listen(0, '127.0.0.1');
    const response = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject({ kind: 'Status', status: 'Failure', code });
  });

  it('ends open watches when it closes', async () => {
    server = await createResourceHttpServer(options());
    const url = await server.listen(0, '127.0.0.1');
    const watch = await fetch(`${url}${COLLECTION}?watch=true`);
    const ended = watch.text();
    await server.close();
    server = undefined;
    await expect(ended).resolves.toBe('');
  });

  it('listens with TLS', async () => {
    const tls = selfSignedCertificate();
    server = await createResourceHttpServer({ ...options(), tls });
    const url = await server.listen(0, '127.0.0.1');
    const code = await new Promise((resolve, reject) => {
      request(`${url}/version`, { ca: tls.cert }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(code).toBe(200);
  });
});
