import { expect, it } from '@jest/globals';
import { readDocument } from './api-document.js';
import { runFuzz, type FuzzOutcome } from './fuzz-run.js';
import type { Judge } from './judge.js';
import { RequestArbitrary } from './request-arbitrary.js';
import type { Sender } from './send.js';

const DOCUMENT = readDocument({
  paths: {
    '/apis/x.dev/v1/namespaces/{namespace}/things/{name}': {
      get: { operationId: 'read', responses: {} },
      put: { operationId: 'replace', responses: {} },
    },
  },
  components: { schemas: {}, responses: {} },
});
const tenant = (project: string) => ({ project, cluster: 'c', secrets: [], credential: 'd', names: {} });
const WORLD = {
  tenants: [tenant('a'), tenant('b')] as const,
  callers: [{ name: 'admin of a', weight: 1, token: 'token', project: 'a' }],
};

function fuzz(codeOf: (method: string) => number): Promise<FuzzOutcome> {
  const send = ({ method }: { method: string }) =>
    Promise.resolve({ code: codeOf(method), headers: {}, body: '', milliseconds: 1 });
  return runFuzz({
    ...{ requests: 0, seed: 1, concurrency: 2, generator: new RequestArbitrary(DOCUMENT, WORLD) },
    sender: { send } as unknown as Sender,
    judge: { findings: () => [] } as unknown as Judge,
  });
}

it.each([
  { name: 'answers', code: 200, unmet: [] },
  { name: 'is refused by who does it', code: 409, unmet: [] },
  { name: 'finds nothing', code: 404, unmet: ['replace'] },
  { name: 'is refused to whoever asks', code: 403, unmet: ['replace'] },
  { name: 'is refused before anybody looked', code: 400, unmet: ['replace'] },
])('an operation that $name is counted so', async ({ code, unmet }) => {
  expect((await fuzz((method) => (method === 'GET' ? 200 : code))).unmet).toEqual(unmet);
});

it('asks an operation that chance missed until it is met', async () => {
  let asked = 0;
  const { unmet } = await fuzz(() => (++asked > 20 ? 200 : 404));
  expect(unmet).toEqual([]);
});
