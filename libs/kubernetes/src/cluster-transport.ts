import { badRequest, type PlatformError } from '@crate/errors';
import { traceparentOf, withSpan, type Span } from '@crate/telemetry';
import type * as ClientNode from '@kubernetes/client-node';
import { currentEntries, formatKubeconfig, type Kubeconfig } from './kubeconfig.js';
import { groupError, isConnectionDown, responseError, transportError } from './transport-errors.js';

export interface TransportRequest {
  readonly method: keyof typeof ClientNode.HttpMethod;
  /** Absolute path on the server, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Longest wait for an answer; streams are bounded by their own timeout instead. */
const ANSWER_WITHIN_MS = 30_000;

/** Kubeconfig fields that make a client run programs or read files of this host. */
const UNSAFE_USER_FIELDS = ['exec', 'auth-provider', 'client-certificate', 'client-key', 'tokenFile'];

/** A way in whose credentials others renew, so that it is read anew before each request. */
export interface KubeconfigSource {
  /** Throws Unavailable (`CredentialsMissing`) while there is nothing to be read. */
  readonly read: () => Promise<Kubeconfig>;
}

type Dispatcher = NonNullable<ReturnType<ClientNode.RequestContext['getDispatcher']>>;

interface Session {
  readonly server: string;
  /** Loaded with the first request: its 900 modules of models are a quarter of what a service would load at its start. */
  readonly client: typeof ClientNode;
  readonly http: ClientNode.IsomorphicFetchHttpLibrary;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher | undefined;
}

/**
 * Speaks HTTP to one API server as a kubeconfig says. Objects pass through as plain JSON: the client library's
 * models would drop fields they do not know and turn timestamps into dates.
 */
export class ClusterTransport {
  private session: Promise<Session> | undefined;
  /** What the session was opened with, where that may change. */
  private wanted = '';
  private where: string;

  /** Throws BadRequest for a kubeconfig that is unsafe; one that comes from a source is looked at with each request. */
  constructor(private readonly kubeconfig: Kubeconfig | KubeconfigSource) {
    this.where = 'read' in kubeconfig ? 'the API server' : serverOf(kubeconfig);
  }

  /** Where requests go to; not known before the first one where that comes from a source. */
  get server(): string {
    return this.where;
  }

  /** The parsed answer. Throws as `TargetCluster` says. */
  async json<T>(request: TransportRequest): Promise<T> {
    const deadline = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      const response = await this.send(request, signal);
      return JSON.parse(await response.body.text()) as T;
    } catch (error) {
      throw transportError(error, this.server, request.signal);
    }
  }

  /** The answer's lines as they arrive; ends with the signal. */
  async *lines(request: TransportRequest & { readonly signal: AbortSignal }): AsyncIterable<string> {
    try {
      const response = await this.send(request, request.signal);
      const stream = response.body.stream();
      if (stream) yield* splitLines(stream);
    } catch (error) {
      if (request.signal.aborted) return;
      throw transportError(error, this.server, request.signal);
    }
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => undefined);
    await session?.dispatcher?.destroy();
  }

  private async send(request: TransportRequest, signal: AbortSignal): Promise<ClientNode.ResponseContext> {
    // The library would open a fresh connection pool for every request; one per cluster is kept instead.
    const session = await this.currentSession();
    const { hostname, port } = new URL(session.server);
    const attributes = {
      'http.request.method': request.method,
      'server.address': hostname,
      'server.port': Number(port) || 443,
      'url.path': request.path,
    };
    return withSpan(request.method, { kind: 'client', attributes }, (span) =>
      this.exchange(session, { request, signal, span }),
    );
  }

  private async exchange(session: Session, { request, signal, span }: Exchange): Promise<ClientNode.ResponseContext> {
    const { HttpMethod, RequestContext } = session.client;
    const context = new RequestContext(session.server + request.path, HttpMethod[request.method]);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) context.setQueryParam(name, value);
    }
    context.setHeaderParam('Accept', 'application/json');
    if (span.isRecording) context.setHeaderParam('traceparent', traceparentOf(span));
    if (request.body !== undefined) {
      context.setHeaderParam('Content-Type', request.contentType ?? 'application/json');
      context.setBody(JSON.stringify(request.body));
    }
    context.setSignal(signal);
    for (const [name, value] of Object.entries(session.headers)) context.setHeaderParam(name, value);
    if (session.dispatcher) context.setDispatcher(session.dispatcher);
    const response = await session.http.send(context).toPromise();
    span.set({ 'http.response.status_code': response.httpStatusCode });
    if (response.httpStatusCode < 300) return response;
    throw await this.meaningOf(response, session.server, { request, signal });
  }

  /** A proxy that is in front of all of a cluster, and the API server in front of one group, say the same when nobody is behind them. */
  private async meaningOf(
    { httpStatusCode, body }: ClientNode.ResponseContext,
    server: string,
    { request, signal }: Omit<Exchange, 'span'>,
  ): Promise<PlatformError> {
    const text = await body.text();
    const error = responseError(httpStatusCode, text, server);
    const ofGroup = isConnectionDown(error) ? groupError(httpStatusCode, text, request.path) : undefined;
    return ofGroup && (await this.isAnswering(signal)) ? ofGroup : error;
  }

  /** Asks what the API server serves itself. */
  private async isAnswering(signal: AbortSignal): Promise<boolean> {
    try {
      await (await this.send({ method: 'GET', path: '/version' }, signal)).body.text();
      return true;
    } catch {
      return false; // What made somebody ask tells more.
    }
  }

  /** Credentials that were renewed count from the next request on; what is under way ends as it began. */
  private async currentSession(): Promise<Session> {
    if (!('read' in this.kubeconfig)) return (this.session ??= this.openSession(this.kubeconfig));
    const kubeconfig = await this.kubeconfig.read();
    const wanted = JSON.stringify(kubeconfig);
    const before = this.session;
    if (before && this.wanted === wanted) return before;
    this.wanted = wanted;
    this.session = this.openSession(kubeconfig);
    void before?.then(({ dispatcher }) => dispatcher?.close()).catch(() => undefined);
    return this.session;
  }

  private async openSession(kubeconfig: Kubeconfig): Promise<Session> {
    const server = serverOf(kubeconfig);
    this.where = server;
    const client = await import('@kubernetes/client-node');
    const probe = new client.RequestContext(server, client.HttpMethod.GET);
    const config = new client.KubeConfig();
    try {
      config.loadFromString(formatKubeconfig(kubeconfig));
      await config.applySecurityAuthentication(probe);
    } catch (error) {
      // The library's message tells what is wrong with the kubeconfig, such as a server without TLS; it quotes no credentials.
      throw badRequest(`The kubeconfig cannot be used: ${error instanceof Error ? error.message : ''}`);
    }
    const http = new client.IsomorphicFetchHttpLibrary();
    return { server, client, http, headers: probe.getHeaders(), dispatcher: probe.getDispatcher() };
  }
}

interface Exchange {
  readonly request: TransportRequest;
  readonly signal: AbortSignal;
  readonly span: Span;
}

/** Throws BadRequest when the kubeconfig is unsafe. */
function serverOf(kubeconfig: Kubeconfig): string {
  refuseUnsafe(kubeconfig);
  return String(currentEntries(kubeconfig).cluster['server']).replace(/\/$/, '');
}

function refuseUnsafe(kubeconfig: Kubeconfig): void {
  const { cluster, user } = currentEntries(kubeconfig);
  const unsafe = UNSAFE_USER_FIELDS.filter((field) => field in user);
  if ('certificate-authority' in cluster) unsafe.push('certificate-authority');
  if (unsafe.length > 0) {
    throw badRequest(
      `The kubeconfig runs programs or reads files (${unsafe.join(', ')}); embed the credentials instead`,
    );
  }
}

async function* splitLines(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
