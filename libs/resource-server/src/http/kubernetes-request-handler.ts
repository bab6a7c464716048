import type { KubernetesStatus } from '@crate/errors';
import type { Caller, ResourceRouter } from '@crate/resource-client';
import { currentSpan, type Logger, NullTracer, runInSpan, type Tracer } from '@crate/telemetry';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OpenApiDocuments } from '../openapi/open-api-documents.js';
import { readReviewSpec } from '../reviews/review-request.js';
import { SelfReviews } from '../reviews/self-reviews.js';
import type { Authenticate, Authorize } from './authorization.js';
import { handleDiscovery } from './discovery-endpoint.js';
import { type Exchange, flag } from './exchange.js';
import { negotiate, type Negotiated } from './negotiate.js';
import type { AwayOwner } from './not-served.js';
import { handleOpenApi } from './openapi-endpoint.js';
import { pathNotFound, statusOf } from './protocol-error.js';
import { originOf, type TrustProxy } from './origin.js';
import { beforeDeadline, DEFAULT_DEADLINE_MS, isFollowing, OpenRequests } from './request-end.js';
import { parseResourcePath, type ResourcePath } from './request-path.js';
import { beginRequestSpan, endRequestSpan, routeOf, withTraceId } from './request-span.js';
import { requestTarget, type RequestTarget } from './request-target.js';
import type { ContentTexts } from './resource/subresource.js';
import { ResourceEndpoint } from './resource/resource-endpoint.js';
import { Responder } from './responder.js';
import { cutOff, isAnswerable, isClosed } from './response-state.js';
import { setSecurityHeaders } from './security-headers.js';
import { cutOffUnlessTaken } from './taken.js';

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
  /** Takes as long as it takes: no deadline. */
  readonly isLong?: boolean;
  /** Whether this is a watch: it has no deadline, and counts among the watches of whoever asks. */
  isWatch?(query: URLSearchParams): boolean;
  /** Sends a response through `exchange.respond` or `exchange.response`, or throws. */
  handle(exchange: Exchange): Promise<void>;
}

/**
 * Looks at every authenticated request before it is authorised; throws to refuse it (as a rate limit does).
 * What it returns runs once the answer is sent or the client is gone.
 */
export type Interceptor = (exchange: Exchange) => Promise<(() => void) | undefined>;

/** The handler knows no kinds, no people and no rights by itself: the embedder says all of them. Times are in milliseconds. */
export interface KubernetesRequestHandlerOptions {
  readonly router: ResourceRouter;
  /** Asked of groups whose kinds the router does not know; default: whatever is not known does not exist. */
  readonly awayOwner?: AwayOwner;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** Paths beside resources that some may read, such as `/version` and `/apis/*`: what `kubectl auth can-i --list` asks of each caller. */
  readonly paths?: readonly string[];
  /** How often the right to an answer that goes on, such as a watch, is looked at again; default 5,000. */
  readonly lookAgainMs?: number;
  readonly version: ServerVersion;
  readonly logger: Logger;
  /** Each request is a span of it; default: only trace ids are carried on. */
  readonly tracer?: Tracer;
  /** Documents that the embedder shows elsewhere too; default: its own. */
  readonly documents?: OpenApiDocuments;
  readonly extraRoutes?: readonly ExtraRoute[];
  /** How content of subresources is written for people who ask for text, by its kind. */
  readonly texts?: ContentTexts;
  /** In the order they are asked. */
  readonly interceptors?: readonly Interceptor[];
  /** Told of each request before anything else is done, also of those that nobody authenticates. */
  readonly onRequest?: (exchange: Exchange) => void;
  /** Told what an authenticated request failed of, before the client is told. Must not throw. */
  readonly onFailure?: (exchange: Exchange, status: KubernetesStatus) => Promise<void>;
  /**
   * A request without an answer after this long gets a 504; watches and followers have no deadline. An answer that the client has not
   * taken this long after it was written is cut off. Default 60,000.
   */
  readonly deadlineMs?: number;
  /** Proxies in front of the server; default: none. */
  readonly trustProxy?: TrustProxy;
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
  private readonly atHand = new OpenRequests();
  private readonly tracer: Tracer;

  constructor(private readonly options: KubernetesRequestHandlerOptions) {
    const { clock = () => new Date() } = options;
    this.tracer = options.tracer ?? new NullTracer();
    this.resources = new ResourceEndpoint({ ...options, now: clock });
    this.reviews = new SelfReviews(options);
    const info = { title: 'Kubernetes', version: options.version.gitVersion };
    this.documents = options.documents ?? new OpenApiDocuments(info);
  }

  /** Answers one request. Never throws: failures become a Status. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = requestTarget(request);
    const follows = this.follows(request.method ?? 'GET', target);
    const span = beginRequestSpan(this.tracer, request, target.path, follows);
    const { traceId } = span.place;
    response.setHeader('x-trace-id', traceId);
    setSecurityHeaders(request, response);
    await runInSpan(span, {}, async () => {
      const exchange = this.open(request, response, traceId, follows);
      try {
        this.options.onRequest?.(exchange);
        await this.route(exchange);
      } catch (error) {
        this.fail(exchange, error);
      }
      cutOffUnlessTaken(response, this.options.deadlineMs ?? DEFAULT_DEADLINE_MS);
      endRequestSpan(span, response, span.isRecording ? this.routeOf(exchange) : undefined);
    });
  }

  /** Ends watches and other followers; those that still come are ended at once, and all else is answered as ever. */
  endFollowing(): void {
    this.atHand.endFollowing();
  }

  /** Ends all that is open and refuses nothing: the listener's own close stops new requests. */
  close(): void {
    this.atHand.close();
  }

  private open(request: IncomingMessage, response: ServerResponse, traceId: string, follows: boolean): Exchange {
    const { path, query } = requestTarget(request);
    const method = request.method ?? 'GET';
    const { deadlineMs = DEFAULT_DEADLINE_MS, trustProxy } = this.options;
    const isLong = follows || this.extraRoute(method, path)?.isLong;
    const signal = this.atHand.begin(request, response, isLong ? undefined : deadlineMs);
    const style = { format: formatFor(request), isPretty: isPretty(request, query) };
    return {
      method,
      path,
      query,
      isFollowing: follows,
      request,
      response,
      respond: new Responder(response, style),
      context: {
        caller: ANONYMOUS,
        traceId,
        origin: originOf(request, trustProxy),
        signal,
      },
    };
  }

  private follows(method: string, { path, query }: RequestTarget): boolean {
    const extra = this.extraRoute(method, path);
    if (extra) return extra.isWatch?.(query) ?? false;
    return isFollowing(this.options.router, method, path, query);
  }

  private async route(anonymous: Exchange): Promise<void> {
    const { method, path, request, response } = anonymous;
    const extra = this.extraRoute(method, path);
    if (extra?.isPublic) return extra.handle(anonymous);
    if (!extra && this.answerPublic(anonymous)) return;
    const caller = await this.options.authenticate(request, response);
    const exchange = { ...anonymous, context: { ...anonymous.context, caller } };
    const answer = this.intercept(exchange).then(() => (extra ? extra.handle(exchange) : this.answer(exchange)));
    try {
      await beforeDeadline(exchange.context.signal, answer);
    } catch (error) {
      await this.options.onFailure?.(exchange, statusOf(error));
      throw error;
    }
  }

  /** Of a path of the embedder's own only its beginning is known to hold no name. */
  private routeOf({ method, path }: Exchange): string | undefined {
    if (this.extraRoute(method, path)) return `/${path.split('/')[1]}`;
    return routeOf(path, this.options.router);
  }

  private extraRoute(method: string, path: string): ExtraRoute | undefined {
    return this.options.extraRoutes?.find((route) => route.matches(method, path));
  }

  private async intercept(exchange: Exchange): Promise<void> {
    for (const interceptor of this.options.interceptors ?? []) {
      const onEnd = await interceptor(exchange);
      if (!onEnd) continue;
      // While it waited for its turn, the client may have gone.
      if (isClosed(exchange.response)) onEnd();
      else exchange.response.once('close', onEnd);
    }
  }

  /** Health and version are for everybody, as in Kubernetes. */
  private answerPublic({ method, path: asked, respond }: Exchange): boolean {
    // Python's client asks for `/version/`.
    const path = asked.replace(/(.)\/$/, '$1');
    if (method !== 'GET' || ![...HEALTH_PATHS, VERSION_PATH].includes(path)) return false;
    if (path === VERSION_PATH) respond.object(200, this.options.version);
    else respond.text(200, 'ok', 'text/plain; charset=utf-8');
    return true;
  }

  private async answer(exchange: Exchange): Promise<void> {
    const { router, awayOwner } = this.options;
    if (handleDiscovery(exchange, router, awayOwner) || handleOpenApi(exchange, router, this.documents)) return;
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
    if (context.signal.aborted && !isAnswerable(response)) return;
    const status = withTraceId(statusOf(error), context.traceId);
    if (status.code >= 500) currentSpan().fail(error);
    else currentSpan().set({ 'error.type': status.reason });
    if (status.code >= 500) this.options.logger.error('Request failed', { error, method, path, code: status.code });
    if (!response.headersSent) respond.status(status);
    else cutOff(response);
  }
}

/** Errors are sent even when the client accepts nothing that we can send. */
function formatFor(request: IncomingMessage): Negotiated['format'] {
  try {
    return negotiate(request.headers.accept).format;
  } catch {
    return 'json';
  }
}

/** People who look at answers themselves get them indented, as from Kubernetes, unless they say otherwise. */
function isPretty(request: IncomingMessage, query: URLSearchParams): boolean {
  return query.has('pretty') ? flag(query, 'pretty') : /^(curl|Wget)\//.test(request.headers['user-agent'] ?? '');
}
