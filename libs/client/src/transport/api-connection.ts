import type { IncomingMessage } from 'node:http';
import { fromStatus, statusIn, wordsOfOther, PlatformError, unavailable, type KubernetesStatus } from '@crate/errors';
import { isRepeatable } from './repeatable.js';
import { withRetries, type RetryOptions } from './retry.js';
import type { Transport, TransportRequest } from './transport.js';
import type { Credentials } from '../credentials/credentials.js';

/** A request to the API; `query` members that are undefined are left out. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** JSON, unless `contentType` says otherwise; YAML is taken too. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Answers of the API as values, failures of all kinds as PlatformErrors. */
export class ApiConnection {
  constructor(
    private readonly transport: Transport,
    private readonly credentials: Credentials | undefined,
    private readonly retries: RetryOptions,
  ) {}

  get server(): string {
    return this.transport.server;
  }

  async json<T>(request: ApiRequest): Promise<T> {
    const { code, body } = await this.answer({ accept: 'application/json', ...request });
    try {
      return JSON.parse(body) as T;
    } catch (cause) {
      throw this.noAnswer(code, body, cause);
    }
  }

  async text(request: ApiRequest): Promise<string> {
    return (await this.answer(request)).body;
  }

  /** The open response of a request that went well. It is opened as other calls are made; what breaks later is not taken up again. */
  open(request: ApiRequest): Promise<IncomingMessage> {
    return this.patiently(request, () => this.stream(request));
  }

  /** The open response of a request that went well; not tried again. */
  async stream(request: ApiRequest): Promise<IncomingMessage> {
    const response = await this.attempt(request);
    // What was signed in with may have ended meanwhile: asked for once more, it may be good again.
    const isStale = response.statusCode === 401 && this.credentials?.forget?.() === true;
    const final = isStale ? await this.again(response, request) : response;
    // The API sends nobody elsewhere: whoever does is a proxy, and nothing was done.
    if ((final.statusCode ?? 0) >= 300 || isPage(final)) throw await this.errorOf(final);
    return final;
  }

  close(): void {
    this.transport.close();
  }

  private answer(request: ApiRequest): Promise<{ readonly code: number; readonly body: string }> {
    return this.patiently(request, async () => {
      const response = await this.stream(request);
      return { code: response.statusCode ?? 0, body: await readText(response) };
    });
  }

  private patiently<T>(request: ApiRequest, call: () => Promise<T>): Promise<T> {
    return withRetries(call, this.retries, { isRepeatable: isRepeatable(request), signal: request.signal });
  }

  private again(refused: IncomingMessage, request: ApiRequest): Promise<IncomingMessage> {
    refused.resume();
    return this.attempt(request);
  }

  private async attempt(request: ApiRequest): Promise<IncomingMessage> {
    const token = await this.credentials?.token();
    return this.transport.open(toTransport(request, token));
  }

  private async errorOf(response: IncomingMessage): Promise<PlatformError> {
    const error = this.refusalOf(response.statusCode ?? 0, await readText(response));
    const retryAfter = Number(response.headers['retry-after']);
    if (!(retryAfter >= 0) || error.details.retryAfterMs !== undefined) return error;
    return new PlatformError(error.code, error.message, {
      details: { ...error.details, retryAfterMs: retryAfter * 1000 },
      cause: error,
    });
  }

  private refusalOf(code: number, body: string): PlatformError {
    try {
      return fromStatus(statusOf(body));
    } catch (cause) {
      return this.noAnswer(code, body, cause);
    }
  }

  private noAnswer(code: number, body: string, cause: unknown): PlatformError {
    const message = `${this.server} answered ${code}, which is no answer of the API${wordsOfOther(body)}`;
    // A gateway that limits requests means the same as the API that does.
    return code === 429 ? fromStatus({ code, message }) : unavailable(message, cause);
  }
}

/** To be looked at, as proxies show them. Those of the API are files to be saved, such as the export of a report. */
function isPage({ headers }: IncomingMessage): boolean {
  const isHtml = headers['content-type']?.startsWith('text/html') ?? false;
  return isHtml && headers['content-disposition'] === undefined;
}

/** Throws for what is no `Status`, such as the words of a proxy. */
function statusOf(body: string): Partial<KubernetesStatus> {
  const status = statusIn(JSON.parse(body));
  if (status) return status;
  throw new TypeError('No Status');
}

function toTransport(request: ApiRequest, token: string | undefined): TransportRequest {
  const { method, path, query = {}, body, contentType = 'application/json', accept, signal, timeoutMs } = request;
  const stated = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const search = new URLSearchParams(stated).toString();
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      ...(accept === undefined ? {} : { accept }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      // Said, because a body of DELETE would else be sent without its end.
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
    },
    ...(text === undefined ? {} : { body: text }),
    ...(signal ? { signal } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** The whole body. Throws Unavailable when the connection breaks before its end. */
export async function readText(response: IncomingMessage): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } catch (cause) {
    throw unavailable('The connection broke in the middle of an answer', cause);
  }
}
