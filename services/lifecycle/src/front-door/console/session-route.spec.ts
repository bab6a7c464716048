import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unauthenticated } from '@crate/errors';
import { SignInLimits } from '@crate/http-guard';
import { KindRegistry, KubernetesRequestHandler, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { sessionRoute, type SessionRouteOptions } from './session-route.js';

const BURST = 3;

let tried: string[];
let server: Server;
beforeEach(async () => {
  tried = [];
  const kinds = new KindRegistry([]);
  const authenticate = (): Promise<never> => Promise.reject(unauthenticated());
  const handler = new KubernetesRequestHandler({
    router: new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds })),
    authenticate,
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
    extraRoutes: [
      sessionRoute({
        authenticate,
        sessions: { find: () => Promise.resolve(undefined) },
        codes: {
          redeem: (code: string) => {
            tried.push(code);
            return Promise.reject(unauthenticated());
          },
        },
        signIns: new SignInLimits({
          addressOf: () => '192.0.2.7',
          metrics: new InMemoryMetrics(),
          failuresPerSecond: 0.001,
          failureBurst: BURST,
        }),
        onSignIn: () => undefined,
      } as unknown as SessionRouteOptions),
    ],
  });
  server = createServer((request, response) => void handler.handle(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function signInWith(code: string): Promise<Response> {
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/console/session`, {
    method: 'POST',
    headers: { 'x-crate-console': '1', connection: 'close' },
    body: JSON.stringify({ code }),
  });
}

it('makes an address wait that tries one code after another, and looks none of them up', async () => {
  for (let n = 1; n <= BURST; n += 1) expect((await signInWith(`guess-${n}`)).status).toBe(401);
  const { status, headers } = await signInWith('one-more');

  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(tried).toEqual(['guess-1', 'guess-2', 'guess-3']);
});
