import { httpMetrics, RequestLimits, SignInLimits } from '@crate/http-guard';
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

/** What slows down guesses of tokens and sign-in codes. */
export function signInLimits(
  { metrics }: Pick<Foundation, 'metrics'>,
  { signIn, trustedProxies }: Pick<LifecycleConfig['api'], 'signIn' | 'trustedProxies'>,
): SignInLimits {
  const trustProxy = networkMatcher(trustedProxies);
  return new SignInLimits({ ...signIn, addressOf: (request) => originOf(request, trustProxy).address, metrics });
}

/** What every request passes on its way in: who is it, is it too much, and a note of how it went. */
export function doorGuard(
  { metrics, audit, tracer }: Pick<Foundation, 'metrics' | 'audit' | 'tracer'>,
  { limits, deadlineMs, trustedProxies }: LifecycleConfig['api'],
  router: ResourceRouter,
  authenticate: Authenticate,
): Guard {
  return {
    tracer,
    trustProxy: networkMatcher(trustedProxies),
    deadlineMs,
    authenticate,
    interceptors: [new RequestLimits(limits, metrics).intercept, refuseImpersonation],
    onRequest: httpMetrics(metrics, router),
    onFailure: auditFailures(audit.recorder, router),
  };
}
