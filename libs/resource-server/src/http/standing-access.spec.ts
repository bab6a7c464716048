import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forbidden, unauthenticated, unavailable } from '@crate/errors';
import { startApiServer, type ApiServerFixture } from '../fixtures/api-server.js';
import { eventLines } from '../fixtures/http-bench.js';
import { aCluster, CLUSTERS, CONTEXT } from '../fixtures/local-api.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const ADA = { user: 'ada', groups: [] };

let server: ApiServerFixture;
let checks: number;
let identity: Error | undefined;
let right: Error | undefined;
beforeEach(async () => {
  [checks, identity, right] = [0, undefined, undefined];
  server = await startApiServer({
    lookAgainMs: 10,
    authenticate: () => (identity ? Promise.reject(identity) : Promise.resolve(ADA)),
    authorize: () => {
      checks += 1;
      return right ? Promise.reject(right) : Promise.resolve();
    },
  });
});
afterEach(async () => server.close());

async function watch(): Promise<AsyncGenerator<unknown>> {
  await server.api.create(CLUSTERS, aCluster(), {}, CONTEXT);
  const events = eventLines(await fetch(`${server.url}${PATH}?watch=true`));
  expect((await events.next()).value).toMatchObject({ type: 'ADDED' });
  return events;
}

async function untilChecked(times: number): Promise<void> {
  for (const end = checks + times; checks < end;) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a watch that is under way', () => {
  it.each([
    ['a role was taken away', () => (right = forbidden('no more'))],
    ['the credentials ended', () => (identity = unauthenticated())],
  ])('ends soon after %s, and shows nothing that came later', async (_reason, change) => {
    const events = await watch();
    change();
    expect((await events.next()).done).toBe(true);
    expect((await fetch(`${server.url}${PATH}?watch=true`)).status).toBeGreaterThanOrEqual(401);
  });

  it('goes on while nothing was taken away, and while nobody can say', async () => {
    const events = await watch();
    await untilChecked(2);
    right = unavailable('away');
    await untilChecked(2);
    await server.api.create(CLUSTERS, aCluster('next'), {}, CONTEXT);
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'next' } } });
    await events.return(undefined);
  });

  it('is looked at no more once it ended', async () => {
    const response = await fetch(`${server.url}${PATH}?watch=true&timeoutSeconds=1`);
    for await (const _event of eventLines(response));
    const after = checks;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(checks).toBe(after);
  });
});
