import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import type { ResourceRouter } from '@crate/resource-client';
import { kindInfoOf, type Exchange } from '@crate/resource-server';
import { PrometheusMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
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

function begin(method: string, target: string, body?: object): { end: (statusCode?: number) => void } {
  const url = new URL(target, 'http://x');
  const response = Object.assign(new EventEmitter(), { statusCode: 200, headersSent: false });
  const isFollowing = url.searchParams.has('watch') || url.pathname.endsWith('/logs');
  const request = Object.assign(Readable.from(body ? [Buffer.from(JSON.stringify(body))] : []), {
    headers: { 'content-type': 'application/json' },
  });
  const context = { signal: new AbortController().signal };
  const { pathname: path, searchParams: query } = url;
  observe({ method, path, query, isFollowing, request, response, context } as unknown as Exchange);
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

/** What was counted, once something was: whether a call only tried is known a little after its end. */
function counted(name: string): Promise<readonly string[]> {
  return eventually(async () => {
    const found = await lines(name);
    expect(found).not.toEqual([]);
    return found;
  });
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
    expect(await counted('crate_http_requests_total{')).toEqual([
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
    await eventually(async () => expect(await lines('crate_http_requests_total{')).toHaveLength(2));
    expect(await lines('crate_http_request_duration_seconds_count')).toHaveLength(1);
  });

  it('tells those who went away from those who were answered', async () => {
    begin('GET', CLUSTERS).end();
    expect((await counted('crate_http_requests_total{'))[0]).toContain('code="499"');
  });

  it('has the outcomes of all verbs at 0 from the start, so that the first failure is an increase', async () => {
    const started = await lines('crate_http_outcomes_total{');
    expect(started.every((line) => line.endsWith(' 0'))).toBe(true);
    begin('GET', CLUSTERS).end(200);
    begin('GET', `${CLUSTERS}?watch=true`).end(200);
    begin('GET', `${CLUSTERS}/x`).end(404);
    begin('GET', `${CLUSTERS}/x`).end();
    begin('DELETE', `${CLUSTERS}/x`).end(503);
    begin('POST', `${CLUSTERS}?dryRun=All`).end(500);
    begin('BREW', '/pot').end(405);
    await eventually(async () => {
      const grown = (await lines('crate_http_outcomes_total{')).filter((line) => !line.endsWith(' 0'));
      expect(grown.toSorted()).toEqual([
        'crate_http_outcomes_total{verb="delete",outcome="failed",service="test"} 1',
        'crate_http_outcomes_total{verb="dryrun",outcome="failed",service="test"} 1',
        'crate_http_outcomes_total{verb="get",outcome="ok",service="test"} 2',
        'crate_http_outcomes_total{verb="list",outcome="ok",service="test"} 1',
        'crate_http_outcomes_total{verb="other",outcome="ok",service="test"} 1',
        'crate_http_outcomes_total{verb="watch",outcome="ok",service="test"} 1',
      ]);
    });
    // None came into being by being counted.
    expect(await lines('crate_http_outcomes_total{')).toHaveLength(started.length);
  });

  it.each([
    { why: 'a create that only tries', method: 'POST', target: `${CLUSTERS}?dryRun=All`, verb: 'dryrun' },
    { why: 'an apply that only tries', method: 'PATCH', target: `${CLUSTERS}/x?dryRun=All`, verb: 'dryrun' },
    {
      why: 'a delete that says so in its body, as kubectl does',
      method: 'DELETE',
      target: `${CLUSTERS}/x`,
      body: { dryRun: ['All'] },
      verb: 'dryrun',
    },
    { why: 'a delete', method: 'DELETE', target: `${CLUSTERS}/x`, body: { dryRun: [] }, verb: 'delete' },
    { why: 'a read, which has nothing to try', method: 'GET', target: `${CLUSTERS}/x?dryRun=All`, verb: 'get' },
  ])('counts and times $why as $verb', async ({ method, target, body, verb }) => {
    begin(method, target, body).end(200);
    const [total] = await counted('crate_http_requests_total{');
    expect(total).toContain(`verb="${verb}"`);
    expect(await lines('crate_http_request_duration_seconds_count')).toEqual([
      expect.stringContaining(`verb="${verb}"`),
    ]);
  });
});
