import type { KubernetesStatus } from '@crate/errors';
import type { ResourceRouter } from '@crate/resource-client';
import { NullTracer, parseTraceparent, type Span, type Tracer } from '@crate/telemetry';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseResourcePath, type ResourcePath } from './request-path.js';

/** Asked without end by those who only want to know whether we live. */
const PROBES = /^\/(healthz|livez|readyz|version|metrics)\b/;
const NOT_RECORDED = new NullTracer();

/**
 * Begins the span of a request, below the caller's if it names one. A watch is not recorded, nor what is done for it: it has no end that
 * says anything, and asks for the same again and again.
 */
export function beginRequestSpan(tracer: Tracer, request: IncomingMessage, path: string, isFollowing: boolean): Span {
  const parent = parseTraceparent(headerOf(request, 'traceparent'));
  const { method = 'GET' } = request;
  const isRecorded = !PROBES.test(path) && !isFollowing;
  if (!isRecorded || tracer instanceof NullTracer) {
    return NOT_RECORDED.begin(method, { parent: parent && { ...parent, sampled: parent.sampled && isRecorded } });
  }
  const attributes = {
    'http.request.method': method,
    'url.path': path,
    'user_agent.original': headerOf(request, 'user-agent'),
  };
  return tracer.begin(method, { kind: 'server', parent, attributes });
}

/** Ends it once the answer is written; only now is it known where the path led. */
export function endRequestSpan(span: Span, response: ServerResponse, route: string | undefined): void {
  if (span.isRecording) {
    span.set({ 'http.response.status_code': response.statusCode, 'http.route': route });
    if (route !== undefined) span.rename(`${response.req.method} ${route}`);
  }
  span.end();
}

/** The path without names: `/apis/lifecycle.crate.dev/v1alpha1/namespaces/{namespace}/clusters/{name}`; undefined where nobody serves it. */
export function routeOf(path: string, router: ResourceRouter): string | undefined {
  const resource = parseResourcePath(path);
  if (!resource) return path === '/apis' || path === '/api' || path.startsWith('/openapi') ? path : undefined;
  const isServed = router.find(resource.group, resource.version, resource.plural) !== undefined;
  return isServed ? templateOf(resource) : undefined;
}

/** The same failure with the trace that tells more of it. */
export function withTraceId(status: KubernetesStatus, traceId: string | undefined): KubernetesStatus {
  return traceId === undefined ? status : { ...status, details: { ...status.details, traceId } };
}

function templateOf({ group, version, namespace, plural, name, subresource }: ResourcePath): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : '/namespaces/{namespace}';
  // A subresource that nobody has is free text.
  const below = subresource === undefined ? '' : '/{subresource}';
  return `${root}${scope}/${plural}${name === undefined ? '' : '/{name}'}${below}`;
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
