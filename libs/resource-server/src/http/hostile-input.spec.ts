import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiServer, type ApiServerFixture } from '../fixtures/api-server.js';

const API = '/apis/lifecycle.crate.dev/v1alpha1';
const CLUSTERS = `${API}/namespaces/team-a/clusters`;

let server: ApiServerFixture;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.close());

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly type?: string;
}

async function answer(path: string, { method = 'GET', body, type = 'application/json' }: Sent): Promise<unknown> {
  const headers = { authorization: 'Bearer ada-token', 'content-type': type };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  return response.json();
}

describe('input that nothing can be made of', () => {
  it.each([
    { what: 'NUL in a name', path: `${CLUSTERS}/%00`, sent: {}, code: 404, says: 'could not find' },
    { what: 'NUL in a selector', path: `${CLUSTERS}?labelSelector=%00`, sent: {}, code: 400, says: 'labelSelector' },
    {
      what: 'NUL in JSON',
      path: CLUSTERS,
      sent: { method: 'POST', body: '{"metadata":{"name":"a\\u0000"}}' },
      code: 400,
      says: 'at metadata.name',
    },
    {
      what: 'half of a surrogate pair in a key',
      path: `${CLUSTERS}/demo?fieldManager=x`,
      sent: { method: 'PATCH', body: '{"spec":{"\\ud800":1}}', type: 'application/merge-patch+json' },
      code: 400,
      says: 'at spec',
    },
    {
      what: 'NUL in YAML',
      path: CLUSTERS,
      sent: { method: 'POST', body: 'metadata: { name: "\\0" }', type: 'application/yaml' },
      code: 400,
      says: 'metadata.name',
    },
    { what: 'no object', path: CLUSTERS, sent: { method: 'POST', body: '[]' }, code: 400, says: 'must be an object' },
    {
      what: 'metadata that is a list',
      path: CLUSTERS,
      sent: { method: 'POST', body: '{"metadata":[]}' },
      code: 400,
      says: 'metadata: ',
    },
    {
      what: 'a generateName that is a number',
      path: `${API}/projects`,
      sent: { method: 'POST', body: '{"metadata":{"generateName":1}}' },
      code: 400,
      says: 'metadata.generateName: ',
    },
    {
      what: 'a dryRun that is no list',
      path: `${API}/projects/x`,
      sent: { method: 'DELETE', body: '{"dryRun":{}}' },
      code: 400,
      says: 'dryRun: ',
    },
    {
      what: 'a review about things that are no text',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      sent: { method: 'POST', body: '{"spec":{"resourceAttributes":{"name":{}}}}' },
      code: 400,
      says: 'name must be a string',
    },
    {
      what: 'a review about two things',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      sent: { method: 'POST', body: '{"spec":{"resourceAttributes":{},"nonResourceAttributes":{}}}' },
      code: 400,
      says: 'not about both',
    },
  ])('$what is answered with $code', async ({ path, sent, code, says }) => {
    expect(await answer(path, sent)).toMatchObject({ kind: 'Status', code, message: expect.stringContaining(says) });
    expect(server.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('takes metadata that is null for none', async () => {
    const body = '{"apiVersion":"lifecycle.crate.dev/v1alpha1","kind":"Project","metadata":null}';
    expect(await answer(`${API}/projects`, { method: 'POST', body })).toMatchObject({
      code: 422,
      message: expect.stringContaining('name'),
    });
  });
});
