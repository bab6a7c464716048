import { httpMetrics, limitSignIns, RequestLimits } from '@crate/http-guard';
import type { ResourceRouter } from '@crate/resource-client';
import {
  originOf,
  refuseImpersonation,
  type Authenticate,
  type KubernetesRequestHandlerOptions,
} from '@crate/resource-server';
import type { Foundation } from '@crate/service-host';
import { auditFailures } from '../audit/audit-failures.js';
import type { LifecycleConfig } from '../config.js';
import { networkMatcher } from './door-config.js';

type Guard = Pick<
  KubernetesRequestHandlerOptions,
  'authenticate' | 'deadlineMs' | 'interceptors' | 'onFailure' | 'onRequest' | 'tracer' | 'trustProxy'
>;

/** What every request passes on its way in: who is it, is it too much, and a note of how it went. */
export function doorGuard(
  { metrics, audit, tracer }: Pick<Foundation, 'metrics' | 'audit' | 'tracer'>,
  { limits, signIn, deadlineMs, trustedProxies }: LifecycleConfig['api'],
  router: ResourceRouter,
  authenticate: Authenticate,
): Guard {
  const trustProxy = networkMatcher(trustedProxies);
  return {
    tracer,
    trustProxy,
    deadlineMs,
    authenticate: limitSignIns({
      ...signIn,
      authenticate,
      addressOf: (request) => originOf(request, trustProxy).address,
      metrics,
    }),
    interceptors: [new RequestLimits(limits, metrics).intercept, refuseImpersonation],
    onRequest: httpMetrics(metrics, router),
    onFailure: auditFailures(audit.recorder, router),
  };
}
