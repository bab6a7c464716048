import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { createInterface } from 'node:readline';
import { unavailable } from '@crate/errors';
import { onCallFailure, patientOnceConnected } from './call-failure.js';
import { requireNames, urlAt } from './server-url.js';
import type { TokenSource } from './token-source.js';

const TIMEOUT_MS = 30_000;
const UNAUTHENTICATED = 401;

/** Whom fields belong to that are written here, and what the audit log says of who called. */
export const PROGRAM = 'crate-cli';
export const JSON_TYPE = 'application/json';
const CONTENT_TYPES: Readonly<Record<string, string>> = { PATCH: 'application/apply-patch+yaml' };

/** Where an API is, and how to be let in. */
export interface ApiAddress {
  readonly server: string;
  /** Name that its certificate has, where that is not the one of the URL. */
  readonly servername?: string | undefined;
  /** PEM of the authorities that its certificate may be from; absent: the well-known ones. */
  readonly ca?: string | Buffer | undefined;
  /** Absent: as nobody, or as the certificate says. */
  readonly token?: string | TokenSource | undefined;
  /** PEM of the person's own certificate and key. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/** How a client behaves, where not as usual. */
export interface ApiClientOptions {
  /** Told each warning of the API; default: nobody is. */
  readonly warn?: (text: string) => void;
  /** How long an answer may keep silent; one that is read as it comes only until somebody is there. Default 30 s. */
  readonly timeoutMs?: number;
}

export interface MediaTypes {
  readonly accept?: string;
  readonly contentType?: string;
}

interface Authorization {
  readonly authorization?: string;
}

/** An answer that came whole, whatever it says. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Requests over HTTPS, and answers as they are. Throws Unavailable when the server cannot be reached, or breaks off its answer, and
 * BadRequest for a path in which a name is missing.
 */
export class ApiTransport {
  constructor(
    private readonly address: ApiAddress,
    private readonly options: ApiClientOptions,
  ) {}

  /** Gives up an answer that keeps silent for too long. */
  async send(method: string, path: string, body?: unknown, types: MediaTypes = {}): Promise<Answer> {
    requireNames(path);
    return this.authorized(
      async (authorization) => this.sendOnce(method, path, body, { ...types, ...authorization }),
      ({ status }) => status,
    );
  }

  /** An answer that is read as it comes, and may keep silent. Streams are JSON lines or text. */
  async open(method: string, path: string, accept?: string): Promise<IncomingMessage> {
    requireNames(path);
    let response: IncomingMessage | undefined;
    return this.authorized(
      async (authorization) => {
        // What a refusal says is read by nobody once another token is tried, and would keep its connection.
        response?.resume();
        response = await this.openOnce(method, path, authorization, accept);
        return response;
      },
      ({ statusCode }) => statusCode,
    );
  }

  /** All of an answer. */
  async contentOf(response: IncomingMessage): Promise<Buffer> {
    const chunks = (await response.toArray().catch((cause: unknown) => {
      throw unavailable(`${this.address.server} broke off its answer`, cause);
    })) as Buffer[];
    if (!response.complete) throw unavailable(`${this.address.server} broke off its answer`);
    return Buffer.concat(chunks);
  }

  /** The lines of an answer, as they come. */
  async *linesOf(response: IncomingMessage): AsyncGenerator<string> {
    try {
      yield* createInterface({ input: response, crlfDelay: Infinity });
    } catch (cause) {
      throw unavailable(`${this.address.server} broke off its answer`, cause);
    }
    if (!response.complete) throw unavailable(`${this.address.server} broke off its answer`);
  }

  /** Asks as whom the address says; with another token once more, where the first was refused and there is one. */
  private async authorized<T>(
    ask: (authorization: Authorization) => Promise<T>,
    statusOf: (answer: T) => number | undefined,
  ): Promise<T> {
    const { token } = this.address;
    if (typeof token !== 'function') return ask(bearer(token));
    const first = await token();
    const answer = await ask(bearer(first));
    if (statusOf(answer) !== UNAUTHENTICATED) return answer;
    const second = await token(first);
    return second === first ? answer : ask(bearer(second));
  }

  private async sendOnce(
    method: string,
    path: string,
    body: unknown,
    { accept = JSON_TYPE, contentType = CONTENT_TYPES[method] ?? JSON_TYPE, authorization }: MediaTypes & Authorization,
  ): Promise<Answer> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      accept,
      'user-agent': PROGRAM,
      ...(authorization === undefined ? {} : { authorization }),
      // Node states no length by itself where a method seldom has a body.
      ...(content === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(content) }),
    };
    return new Promise((resolve, reject) => {
      const call = request(
        urlAt(this.address.server, path),
        { method, headers, timeout: this.timeoutMs, ...this.tls() },
        (response) => {
          for (const warning of warningsOf(response)) this.options.warn?.(warning);
          this.contentOf(response)
            .then((body) => resolve({ status: response.statusCode ?? 0, body: body.toString() }))
            .catch(reject);
        },
      );
      onCallFailure(call, (cause) => reject(this.unreachable(cause)));
      call.end(content);
    });
  }

  private async openOnce(
    method: string,
    path: string,
    authorization: Authorization,
    accept = `${JSON_TYPE}, */*`,
  ): Promise<IncomingMessage> {
    const headers = { accept, 'user-agent': PROGRAM, ...authorization };
    return new Promise((resolve, reject) => {
      const options = { method, headers, timeout: this.timeoutMs, ...this.tls() };
      const call = request(urlAt(this.address.server, path), options, resolve);
      onCallFailure(call, (cause) => reject(this.unreachable(cause)));
      patientOnceConnected(call);
      call.end();
    });
  }

  private get timeoutMs(): number {
    return this.options.timeoutMs ?? TIMEOUT_MS;
  }

  private unreachable(cause: Error): Error {
    return unavailable(`Cannot reach ${this.address.server}`, cause);
  }

  private tls(): RequestOptions {
    const { ca, cert, key, servername } = this.address;
    const named = servername === undefined ? {} : { servername };
    return {
      ...named,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    };
  }
}

function bearer(token: string | undefined): Authorization {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Source: https://www.rfc-editor.org/rfc/rfc7234#section-5.5 */
function warningsOf({ headersDistinct }: IncomingMessage): readonly string[] {
  const texts = (headersDistinct['warning'] ?? []).map((header) => /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1]);
  return texts.filter((text) => text !== undefined).map((text) => text.replaceAll(/\\(.)/g, '$1'));
}
