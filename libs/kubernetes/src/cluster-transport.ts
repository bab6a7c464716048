import { badRequest, type PlatformError } from '@crate/errors';
import { traceparentOf, withSpan, type Span } from '@crate/telemetry';
import type { Dispatcher, fetch, Response } from 'undici';
import { AnswerLimit, answerTooLarge } from './answer-limit.js';
import { currentEntries, formatKubeconfig, type Kubeconfig } from './kubeconfig.js';
import { groupError, isConnectionDown, redirectError, responseError, transportError } from './transport-errors.js';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Absolute path on the server, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Shared by requests whose answers are kept together. Default: enough for any one object. */
  readonly limit?: AnswerLimit;
}

const MIB = 1024 * 1024;
/** Objects have 1.5 MB at most in etcd; an error may quote one, escaped, and more than once. */
const OBJECT_BYTES = 16 * MIB;
const LONGEST_EVENT = 8 * MIB;

/** Longest wait for an answer; streams are bounded by their own timeout instead. */
const ANSWER_WITHIN_MS = 30_000;

/** Kubeconfig fields that make a client run programs or read files of this host. */
const UNSAFE_USER_FIELDS = ['exec', 'auth-provider', 'client-certificate', 'client-key', 'tokenFile'];

/** A way in whose credentials others renew, so that it is read anew before each request. */
export interface KubeconfigSource {
  /** Throws Unavailable (`CredentialsMissing`) while there is nothing to be read. */
  readonly read: () => Promise<Kubeconfig>;
}

interface Session {
  readonly server: string;
  readonly fetch: typeof fetch;
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
      const { limit = new AnswerLimit(OBJECT_BYTES) } = request;
      return JSON.parse(await limit.read(response.body, this.server)) as T;
    } catch (error) {
      throw transportError(error, this.server, request.signal);
    }
  }

  /** The answer's lines as they arrive; ends with the signal. */
  async *lines(request: TransportRequest & { readonly signal: AbortSignal }): AsyncIterable<string> {
    try {
      const response = await this.send(request, request.signal);
      if (response.body) yield* splitLines(response.body, this.server);
    } catch (error) {
      if (request.signal.aborted) return;
      throw transportError(error, this.server, request.signal);
    }
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => undefined);
    await session?.dispatcher?.destroy();
  }

  private async send(request: TransportRequest, signal: AbortSignal): Promise<Response> {
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

  private async exchange(session: Session, { request, signal, span }: Exchange): Promise<Response> {
    const response = await session.fetch(urlOf(session.server, request), {
      method: request.method,
      headers: { ...headersOf(request, span), ...session.headers },
      signal,
      // A cluster says what it has, and not where else we ask from inside of our network.
      redirect: 'manual',
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // One pool of connections for each cluster, instead of a new one for each request.
      ...(session.dispatcher ? { dispatcher: session.dispatcher } : {}),
    });
    span.set({ 'http.response.status_code': response.status });
    if (response.status < 300) return response;
    throw await this.meaningOf(response, session.server, { request, signal });
  }

  /** A proxy that is in front of all of a cluster, and the API server in front of one group, say the same when nobody is behind them. */
  private async meaningOf(
    { status, body }: Response,
    server: string,
    { request, signal }: Omit<Exchange, 'span'>,
  ): Promise<PlatformError> {
    const text = await new AnswerLimit(OBJECT_BYTES).read(body, server);
    if (status < 400) return redirectError(server);
    const error = responseError(status, text, server);
    const ofGroup = isConnectionDown(error) ? groupError(status, text, request.path) : undefined;
    return ofGroup && (await this.isAnswering(signal)) ? ofGroup : error;
  }

  /** Asks what the API server serves itself. */
  private async isAnswering(signal: AbortSignal): Promise<boolean> {
    try {
      const { body } = await this.send({ method: 'GET', path: '/version' }, signal);
      await new AnswerLimit(OBJECT_BYTES).read(body, this.server);
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
    // Loaded with the first request: 900 modules of models are a quarter of what a service would load at its start.
    const [client, undici] = await Promise.all([import('@kubernetes/client-node'), import('undici')]);
    const probe = new client.RequestContext(server, client.HttpMethod.GET);
    const config = new client.KubeConfig();
    try {
      config.loadFromString(formatKubeconfig(kubeconfig));
      await config.applySecurityAuthentication(probe);
    } catch (error) {
      // The library's message tells what is wrong with the kubeconfig, such as a server without TLS; it quotes no credentials.
      throw badRequest(`The kubeconfig cannot be used: ${error instanceof Error ? error.message : ''}`);
    }
    return { server, fetch: undici.fetch, headers: probe.getHeaders(), dispatcher: probe.getDispatcher() };
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

function urlOf(server: string, { path, query = {} }: TransportRequest): URL {
  const url = new URL(server + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function headersOf({ body, contentType = 'application/json' }: TransportRequest, span: Span): Record<string, string> {
  return {
    Accept: 'application/json',
    ...(span.isRecording ? { traceparent: traceparentOf(span) } : {}),
    ...(body === undefined ? {} : { 'Content-Type': contentType }),
  };
}

async function* splitLines(stream: AsyncIterable<Uint8Array>, server: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    rest += text;
    if (text.includes('\n')) {
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest.length > LONGEST_EVENT) throw answerTooLarge(server);
  }
  if (rest !== '') yield rest;
}
