import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Exchange } from '@crate/resource-server';
import { InMemoryMetrics } from '@crate/telemetry';
import { RequestLimits, type RequestLimitsConfig } from './request-limits.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const CONFIG: RequestLimitsConfig = {
  perSecond: 1,
  burst: 2,
  concurrency: 2,
  queueLength: 1,
  waitMs: 10,
  watchesPerUser: 2,
  longLists: 1,
  exemptGroups: ['platform-admin'],
};

let metrics: InMemoryMetrics;
beforeEach(() => {
  metrics = new InMemoryMetrics();
});

function exchange(target: string, user = 'ada', groups: readonly string[] = [], method = 'GET'): Exchange {
  const url = new URL(target, 'http://x');
  const { signal } = new AbortController();
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    isFollowing: url.searchParams.has('watch') || url.pathname.endsWith('/logs'),
    context: { caller: { user, groups }, traceId: 't', signal },
  } as unknown as Exchange;
}

function limits(changes: Partial<RequestLimitsConfig> = {}, now = (): number => 0): RequestLimits {
  return new RequestLimits({ ...CONFIG, ...changes }, metrics, now);
}

describe('RequestLimits', () => {
  it('lets each user send so many a second, and says when to come back', async () => {
    const { intercept } = limits({ concurrency: 100 });
    await intercept(exchange(`${CLUSTERS}/x`));
    await intercept(exchange(`${CLUSTERS}/x`));
    await expect(intercept(exchange(`${CLUSTERS}/x`))).rejects.toMatchObject({
      code: 'TooManyRequests',
      message: 'too many requests: you may send 1 requests a second, try again in 1 s',
      details: { retryAfterMs: 1000 },
    });
    await expect(intercept(exchange(`${CLUSTERS}/x`, 'bob'))).resolves.toBeDefined();
    expect(await metrics.text()).toContain('rate');
  });

  it('limits nobody of an exempt group', async () => {
    const { intercept } = limits();
    for (let n = 0; n < 50; n += 1) {
      expect(await intercept(exchange(`${CLUSTERS}?watch=true`, 'root', ['platform-admin']))).toBeUndefined();
    }
  });

  it.each(['?watch=true', '?watch=1&resourceVersion=7', '/x/logs?follow=true'])(
    'counts %s among the open watches until it ends',
    async (what) => {
      const { intercept } = limits({ burst: 100 });
      const [close] = [await intercept(exchange(CLUSTERS + what)), await intercept(exchange(CLUSTERS + what))];
      await expect(intercept(exchange(CLUSTERS + what))).rejects.toMatchObject({
        message: expect.stringContaining('2 watches open'),
      });
      await intercept(exchange(CLUSTERS + what, 'bob'));
      close?.();
      await intercept(exchange(CLUSTERS + what));
    },
  );

  it.each([
    { target: CLUSTERS, isLong: true },
    { target: `${CLUSTERS}?limit=0`, isLong: true },
    { target: `${CLUSTERS}?limit=100000`, isLong: true },
    { target: '/apis/lifecycle.crate.dev/v1alpha1/projects', isLong: true },
    { target: '/api/v1/events', isLong: true },
    { target: `${CLUSTERS}?follow=true`, isLong: true },
    { target: `${CLUSTERS}?limit=500`, isLong: false },
    { target: `${CLUSTERS}/demo`, isLong: false },
    { target: '/apis/lifecycle.crate.dev/v1alpha1', isLong: false },
  ])('takes $target for a long list: $isLong', async ({ target, isLong }) => {
    const { intercept } = limits({ burst: 100, queueLength: 0, concurrency: 100 });
    await intercept(exchange(target));
    const second = intercept(exchange(target, 'bob'));
    if (isLong) await expect(second).rejects.toMatchObject({ code: 'TooManyRequests' });
    else await expect(second).resolves.toBeDefined();
  });

  it('gives places back', async () => {
    const { intercept } = limits({ burst: 1000, queueLength: 0, concurrency: 1 });
    for (let n = 0; n < 100; n += 1) (await intercept(exchange(CLUSTERS, 'ada', [], 'POST')))?.();
  });
});
