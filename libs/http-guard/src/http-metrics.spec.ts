import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import type { ResourceRouter } from '@crate/resource-client';
import { kindInfoOf, type Exchange } from '@crate/resource-server';
import { PrometheusMetrics } from '@crate/telemetry';
import { httpMetrics } from './http-metrics.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const router = {
  kinds: () => [],
  find: (group: string, _version: string, plural: string) =>
    group === CLUSTER.group && plural === CLUSTER.plural ? { kind: kindInfoOf(CLUSTER) } : undefined,
} as unknown as ResourceRouter;

let metrics: PrometheusMetrics;
let observe: (exchange: Exchange) => void;
beforeEach(() => {
  metrics = new PrometheusMetrics({ service: 'test', processMetrics: false });
  observe = httpMetrics(metrics, router);
});

function begin(method: string, target: string): { end: (statusCode?: number) => void } {
  const url = new URL(target, 'http://x');
  const response = Object.assign(new EventEmitter(), { statusCode: 200, headersSent: false });
  const isFollowing = url.searchParams.has('watch') || url.pathname.endsWith('/logs');
  observe({ method, path: url.pathname, query: url.searchParams, isFollowing, response } as unknown as Exchange);
  return {
    end: (statusCode) => {
      if (statusCode !== undefined) Object.assign(response, { statusCode, headersSent: true });
      response.emit('close');
    },
  };
}

async function lines(name: string): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
}

describe('httpMetrics', () => {
  it.each([
    {
      method: 'GET',
      target: CLUSTERS,
      code: 200,
      want: 'verb="list",group="lifecycle.crate.dev",resource="clusters",subresource=""',
    },
    {
      method: 'GET',
      target: `${CLUSTERS}/x`,
      code: 404,
      want: 'verb="get",group="lifecycle.crate.dev",resource="clusters",subresource=""',
    },
    {
      method: 'GET',
      target: `${CLUSTERS}/x/kubeconfig`,
      code: 200,
      want: 'verb="get",group="lifecycle.crate.dev",resource="clusters",subresource="kubeconfig"',
    },
    {
      method: 'GET',
      target: `${CLUSTERS}/x/made-up`,
      code: 404,
      want: 'verb="get",group="lifecycle.crate.dev",resource="clusters",subresource=""',
    },
    {
      method: 'DELETE',
      target: CLUSTERS,
      code: 403,
      want: 'verb="deletecollection",group="lifecycle.crate.dev",resource="clusters",subresource=""',
    },
    {
      method: 'POST',
      target: '/apis/made.up/v1/things',
      code: 404,
      want: 'verb="create",group="",resource="",subresource=""',
    },
    { method: 'BREW', target: '/pot', code: 405, want: 'verb="other",group="",resource="",subresource=""' },
  ])('counts $method $target', async ({ method, target, code, want }) => {
    begin(method, target).end(code);
    expect(await lines('crate_http_requests_total{')).toEqual([
      `crate_http_requests_total{${want},code="${code}",service="test"} 1`,
    ]);
    expect(await lines('crate_http_request_duration_seconds_count')).toHaveLength(1);
  });

  it('knows what is under way, and times no watch', async () => {
    const watch = begin('GET', `${CLUSTERS}?watch=true`);
    const request = begin('GET', CLUSTERS);
    expect(await lines('crate_http_watches_open{')).toEqual(['crate_http_watches_open{service="test"} 1']);
    expect(await lines('crate_http_requests_in_flight{')).toEqual(['crate_http_requests_in_flight{service="test"} 1']);
    watch.end(200);
    request.end(200);
    expect(await lines('crate_http_watches_open{')).toEqual(['crate_http_watches_open{service="test"} 0']);
    expect(await lines('crate_http_request_duration_seconds_count')).toHaveLength(1);
  });

  it('tells those who went away from those who were answered', async () => {
    begin('GET', CLUSTERS).end();
    expect((await lines('crate_http_requests_total{'))[0]).toContain('code="499"');
  });
});
