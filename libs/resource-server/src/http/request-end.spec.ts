import { describe, expect, it } from '@jest/globals';
import { CLUSTER, LOGS_SUBRESOURCE, PLAN_SUBRESOURCE } from '@crate/api';
import { localApi } from '../fixtures/local-api.js';
import { LocalResourceRouter } from '../kinds/local-resource-router.js';
import { isFollowing } from './request-end.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';

describe('isFollowing', () => {
  const { kinds, api } = localApi();
  kinds.add({ definition: { ...CLUSTER, subresources: [LOGS_SUBRESOURCE, PLAN_SUBRESOURCE] } });
  const router = new LocalResourceRouter(kinds, api);

  it.each([
    { target: `${CLUSTERS}?watch=true`, want: true },
    { target: `${CLUSTERS}/demo?watch`, want: true },
    { target: `${CLUSTERS}/demo/logs?follow=true`, want: true },
    { target: `${CLUSTERS}/demo/logs?follow=false`, want: false },
    { target: `${CLUSTERS}/demo/logs?follow=true&watch=true`, want: true },
    { target: `${CLUSTERS}/demo/logs?watch=true`, want: false },
    { target: `${CLUSTERS}/demo/plan?watch=true`, want: false },
    { target: `${CLUSTERS}/demo/plan?follow=true`, want: false },
    { target: `${CLUSTERS}/demo?follow=true`, want: false },
    { target: `${CLUSTERS}?follow=true`, want: false },
    { target: '/apis/example.dev/v1/namespaces/team-a/others/a/logs?follow=true', want: false },
    { target: '/openapi/v2?watch=true&follow=true', want: false },
    { target: `${CLUSTERS}?watch=true`, method: 'DELETE', want: false },
  ])('says $want for $target', ({ target, method = 'GET', want }) => {
    const { pathname, searchParams } = new URL(target, 'http://server.invalid');
    expect(isFollowing(router, method, pathname, searchParams)).toBe(want);
  });
});
