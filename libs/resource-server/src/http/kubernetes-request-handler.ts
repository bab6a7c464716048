import type { Caller, CallOrigin, ResourceRouter } from '@crate/resource-client';
import { type Logger, newTraceId, parseTraceparent, runWithContext } from '@crate/telemetry';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OpenApiDocuments } from '../openapi/open-api-documents.js';
import { readReviewSpec } from '../reviews/review-request.js';
import { SelfReviews } from '../reviews/self-reviews.js';
import type { Authenticate, Authorize } from './authorization.js';
import { handleDiscovery } from './discovery-endpoint.js';
import { type Exchange, flag } from './exchange.js';
import { negotiate } from './negotiate.js';
import { handleOpenApi } from './openapi-endpoint.js';
import { pathNotFound, statusOf } from './protocol-error.js';
import { parseResourcePath, type ResourcePath } from './request-path.js';
import { ResourceEndpoint } from './resource/resource-endpoint.js';
import { Responder } from './responder.js';

/** What `GET /version` says. Source: https://kubernetes.io/docs/reference/ (version.Info) */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [field: string]: string;
}

/** A path of the embedder's own, asked before all others. */
export interface ExtraRoute {
  matches(method: string, path: string): boolean;
  /** Answered without authentication, as `system:anonymous`. */
  readonly isPublic?: boolean;
  /** Sends a response through `exchange.respond` or `exchange.response`, or throws. */
  handle(exchange: Exchange): Promise<void>;
}

/**
 * Looks at every authenticated request before it is authorised; throws to refuse it (as a rate limit does).
 * What it returns runs once the answer is sent or the client is gone.
 */
export type Interceptor = (exchange: Exchange) => Promise<(() => void) | undefined>;

export interface KubernetesRequestHandlerOptions {
  readonly router: ResourceRouter;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly version: ServerVersion;
  readonly logger: Logger;
  /** Documents that the embedder shows elsewhere too; default: its own. */
  readonly documents?: OpenApiDocuments;
  readonly extraRoutes?: readonly ExtraRoute[];
  /** In the order they are asked. */
  readonly interceptors?: readonly Interceptor[];
  /** Default: the system's clock. */
  readonly clock?: () => Date;
}

const ANONYMOUS: Caller = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];
const VERSION_PATH = '/version';

/**
 * A Kubernetes-shaped API over plain `node:http` requests, for any server to mount. Requests of all hosts and paths
 * may be sent here; what it does not know is answered with a 404 Status.
 */
export class KubernetesRequestHandler {
  private readonly resources: ResourceEndpoint;
  private readonly reviews: SelfReviews;
  private readonly documents: OpenApiDocuments;
  private readonly closing = new AbortController();

  constructor(private readonly options: KubernetesRequestHandlerOptions) {
    const { clock = () => new Date() } = options;
    this.resources = new ResourceEndpoint({ ...options, now: clock });
    this.reviews = new SelfReviews(options);
    const info = { title: 'Kubernetes', version: options.version.gitVersion };
    this.documents = options.documents ?? new OpenApiDocuments(info);
  }

  /** Answers one request. Never throws: failures become a Status. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const traceId = parseTraceparent(header(request, 'traceparent'))?.traceId ?? newTraceId();
    response.setHeader('x-trace-id', traceId);
    await runWithContext({ traceId }, async () => {
      const exchange = this.open(request, response, traceId);
      try {
        await this.route(exchange);
      } catch (error) {
        this.fail(exchange, error);
      }
    });
  }

  /** Ends open watches and refuses nothing: the listener's own close stops new requests. */
  close(): void {
    this.closing.abort();
  }

  private open(request: IncomingMessage, response: ServerResponse, traceId: string): Exchange {
    // The host is of no matter; a relative URL needs some base to be parsed.
    const url = new URL(request.url ?? '/', 'http://server.invalid');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const style = { format: formatFor(request), isPretty: flag(url.searchParams, 'pretty') };
    return {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      request,
      response,
      respond: new Responder(response, style),
      context: {
        caller: ANONYMOUS,
        traceId,
        origin: originOf(request),
        signal: AbortSignal.any([gone.signal, this.closing.signal]),
      },
    };
  }

  private async route(anonymous: Exchange): Promise<void> {
    const { method, path, request } = anonymous;
    const { authenticate, extraRoutes = [] } = this.options;
    const extra = extraRoutes.find((route) => route.matches(method, path));
    if (extra?.isPublic) return extra.handle(anonymous);
    if (!extra && this.answerPublic(anonymous)) return;
    const caller = await authenticate(request);
    const exchange = { ...anonymous, context: { ...anonymous.context, caller } };
    await this.intercept(exchange);
    await (extra ? extra.handle(exchange) : this.answer(exchange));
  }

  private async intercept(exchange: Exchange): Promise<void> {
    for (const interceptor of this.options.interceptors ?? []) {
      const onEnd = await interceptor(exchange);
      if (onEnd) exchange.response.once('close', onEnd);
    }
  }

  /** Health and version are for everybody, as in Kubernetes. */
  private answerPublic({ method, path, respond }: Exchange): boolean {
    if (method !== 'GET' || ![...HEALTH_PATHS, VERSION_PATH].includes(path)) return false;
    if (path === VERSION_PATH) respond.object(200, this.options.version);
    else respond.text(200, 'ok', 'text/plain; charset=utf-8');
    return true;
  }

  private async answer(exchange: Exchange): Promise<void> {
    const { router } = this.options;
    if (handleDiscovery(exchange, router) || handleOpenApi(exchange, router, this.documents)) return;
    const path = parseResourcePath(exchange.path);
    if (!path) throw pathNotFound();
    if (await this.review(exchange, path)) return;
    await this.resources.handle(exchange, path);
  }

  private async review(exchange: Exchange, path: ResourcePath): Promise<boolean> {
    if (exchange.method !== 'POST' || !this.reviews.knows(path)) return false;
    const spec = await readReviewSpec(exchange.request);
    exchange.respond.object(201, await this.reviews.answer(path, spec, exchange.context.caller));
    return true;
  }

  private fail({ method, path, respond, response, context }: Exchange, error: unknown): void {
    // The client went away, or we are closing: nobody is there to be told, and nothing is wrong.
    if (context.signal.aborted && !response.writable) return;
    const status = statusOf(error);
    if (status.code >= 500) this.options.logger.error('Request failed', { error, method, path, code: status.code });
    if (!response.headersSent) respond.status(status);
    else response.destroy();
  }
}

function originOf(request: IncomingMessage): CallOrigin {
  const userAgent = header(request, 'user-agent');
  const { remoteAddress: address } = request.socket;
  return { ...(address === undefined ? {} : { address }), ...(userAgent === undefined ? {} : { userAgent }) };
}

/** Errors are sent even when the client accepts nothing that we can send. */
function formatFor(request: IncomingMessage): 'json' | 'yaml' {
  try {
    return negotiate(request.headers.accept).format;
  } catch {
    return 'json';
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
