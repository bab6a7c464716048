import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { createInterface } from 'node:readline';
import { fromStatus, hasCode, unavailable, type KubernetesStatus, type PlatformError } from '@crate/errors';
import type { KubeObject } from '@crate/api';
import { isAbsence } from './absence.js';
import { withRemedy } from './remedies.js';
import { urlAt } from './server-url.js';
import type { TokenSource } from './token-source.js';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: {
      readonly server: string;
      readonly 'certificate-authority-data': string;
      readonly 'tls-server-name'?: string;
    };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

const TIMEOUT_MS = 30_000;

/** Whom fields belong to that are written here, and what the audit log says of who called. */
const PROGRAM = 'crate-cli';
const CREATED = 201;
const UNAUTHENTICATED = 401;

const JSON_TYPE = 'application/json';
const CONTENT_TYPES: Readonly<Record<string, string>> = { PATCH: 'application/apply-patch+yaml' };

interface LinesOptions {
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Told once the API has begun to answer with something other than a refusal. */
  readonly onOpen?: () => void;
}

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

interface MediaTypes {
  readonly accept?: string;
  readonly contentType?: string;
}

interface Authorization {
  readonly authorization?: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** How a client behaves, where not as usual. */
export interface ApiClientOptions {
  /** Told each warning of the API; default: nobody is. */
  readonly warn?: (text: string) => void;
  /** How long an answer may keep silent. Default 30 s. */
  readonly timeoutMs?: number;
}

/** How an object is applied. */
export interface ApplyOptions {
  /** Takes fields over from whom they belong to. Default: yes. */
  readonly force?: boolean;
  /** Everything but the write itself. */
  readonly dryRun?: boolean;
}

/** How an object is deleted. Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/ */
export interface RemoveOptions {
  readonly propagationPolicy?: string;
  readonly dryRun?: boolean;
  /** Only the object that has this uid. */
  readonly uid?: string;
}

/** Talks to Crate's own API as `kubectl` would. */
export class ApiClient {
  constructor(
    private readonly address: ApiAddress,
    private readonly options: ApiClientOptions = {},
  ) {}

  /** The same API, with other behaviour. */
  with(options: ApiClientOptions): ApiClient {
    return new ApiClient(this.address, { ...this.options, ...options });
  }

  get server(): string {
    return this.address.server;
  }

  /** With the kubeconfig that `crate up` wrote. */
  static async fromKubeconfig(path: string): Promise<ApiClient> {
    const config = parse(await readFile(path, 'utf8')) as Kubeconfig;
    const cluster = config.clusters[0]?.cluster;
    const token = config.users[0]?.user.token;
    if (!cluster || token === undefined) throw unavailable(`${path} names no cluster or user`);
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
    return new ApiClient({ server: cluster.server, servername: cluster['tls-server-name'], ca, token });
  }

  /** Undefined when the API says that the object is not there. Throws Unavailable when it does not know the path, which may pass. */
  async find<T extends KubeObject>(path: string): Promise<T | undefined> {
    return this.unlessAbsent<T>(await this.send('GET', path), path);
  }

  private unlessAbsent<T extends KubeObject>({ status, body }: Answer, path: string): T | undefined {
    if (status !== 404) return this.parseObject<T>(status, body, path);
    const error = this.errorOf(status, body, path);
    if (isAbsence(error)) return undefined;
    throw hasCode(error, 'NotFound') ? unavailable(`${this.server} does not know ${path} now`, error) : error;
  }

  /** The body of a GET as it is, such as a kubeconfig; as JSON unless something else is accepted. */
  async text(path: string, accept = JSON_TYPE): Promise<string> {
    const { status, body } = await this.send('GET', path, undefined, { accept });
    if (status >= 400) throw this.errorOf(status, body, path);
    return body;
  }

  /** Server-side apply of one object at its own URL. */
  async apply(path: string, object: unknown, options: ApplyOptions = {}): Promise<KubeObject> {
    return (await this.applied(path, object, options)).object;
  }

  /** As `apply`; says as well whether the object was not there before. */
  async applied(
    path: string,
    object: unknown,
    { force = true, dryRun = false }: ApplyOptions,
  ): Promise<{ readonly object: KubeObject; readonly isNew: boolean }> {
    const query = `fieldManager=${PROGRAM}${force ? '&force=true' : ''}${dryRun ? '&dryRun=All' : ''}`;
    const { status, body } = await this.send('PATCH', `${path}?${query}`, object);
    return { object: this.parseObject(status, body, path), isNew: status === CREATED };
  }

  /** `POST`: a new object of a collection, a subresource that makes something, or a review. */
  async create<T>(path: string, object: unknown): Promise<T> {
    const { status, body } = await this.send('POST', path, object);
    return this.parseObject<KubeObject & T>(status, body, path);
  }

  /** JSON merge patch (RFC 7386). */
  async merge<T extends KubeObject>(path: string, patch: unknown): Promise<T> {
    const { status, body } = await this.send('PATCH', path, patch, { contentType: 'application/merge-patch+json' });
    return this.parseObject<T>(status, body, path);
  }

  /** The answer to a GET, which must not be an error. */
  async get<T>(path: string, accept?: string): Promise<T> {
    return JSON.parse(await this.text(path, accept)) as T;
  }

  /** The lines of a long answer, as they come and for as long as they do; `signal` ends it without an error. */
  async *lines(path: string, { accept, signal, onOpen }: LinesOptions = {}): AsyncGenerator<string> {
    const response = await this.open('GET', path, accept);
    signal?.addEventListener('abort', () => response.destroy(), { once: true });
    if ((response.statusCode ?? 0) < 400) onOpen?.();
    try {
      yield* this.linesOf(response, path);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  private async *linesOf(response: IncomingMessage, path: string): AsyncGenerator<string> {
    const status = response.statusCode ?? 0;
    if (status >= 400) throw this.errorOf(status, (await this.contentOf(response)).toString(), path);
    try {
      yield* createInterface({ input: response, crlfDelay: Infinity });
    } catch (cause) {
      throw unavailable(`${this.server} broke off its answer`, cause);
    }
    if (!response.complete) throw unavailable(`${this.server} broke off its answer`);
  }

  /** A file as it is, whatever it holds. */
  async bytes(path: string): Promise<Buffer> {
    const response = await this.open('GET', path);
    const content = await this.contentOf(response);
    const status = response.statusCode ?? 0;
    if (status >= 400) throw this.errorOf(status, content.toString(), path);
    return content;
  }

  /** All of an answer. Throws Unavailable when it ends too early. */
  private async contentOf(response: IncomingMessage): Promise<Buffer> {
    const chunks = (await response.toArray().catch((cause: unknown) => {
      throw unavailable(`${this.server} broke off its answer`, cause);
    })) as Buffer[];
    if (!response.complete) throw unavailable(`${this.server} broke off its answer`);
    return Buffer.concat(chunks);
  }

  /** What is gone already is fine. */
  async remove(path: string): Promise<void> {
    this.unlessAbsent(await this.send('DELETE', path), path);
  }

  /** As `remove`, and throws NotFound for what is not there. */
  async removeExisting(path: string, { propagationPolicy, dryRun, uid }: RemoveOptions = {}): Promise<void> {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(dryRun ? { dryRun: ['All'] } : {}),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    };
    // Said twice: nothing is to be deleted because a body did not arrive.
    const { status, body } = await this.send('DELETE', dryRun ? `${path}?dryRun=All` : path, options);
    this.parseObject(status, body, path);
  }

  /** True once the API answers readiness. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.send('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  }

  private parseObject<T extends KubeObject>(status: number, body: string, path = ''): T {
    if (status >= 400) throw this.errorOf(status, body, path);
    return JSON.parse(body) as T;
  }

  private errorOf(status: number, body: string, path = ''): PlatformError {
    try {
      return withRemedy(fromStatus(statusOf(body)), path);
    } catch (cause) {
      return unavailable(`${this.server} answered ${status}, which is no answer of the API`, cause);
    }
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

  private async open(method: string, path: string, accept?: string): Promise<IncomingMessage> {
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

  private async openOnce(
    method: string,
    path: string,
    authorization: Authorization,
    accept = `${JSON_TYPE}, */*`,
  ): Promise<IncomingMessage> {
    // Streams are JSON lines or text.
    const headers = { accept, 'user-agent': PROGRAM, ...authorization };
    return new Promise((resolve, reject) => {
      const options = { method, headers, ...this.tls() };
      request(urlAt(this.server, path), options, resolve)
        .on('error', (cause) => reject(unavailable(`Cannot reach ${this.server}`, cause)))
        .end();
    });
  }

  private async send(method: string, path: string, body?: unknown, types: MediaTypes = {}): Promise<Answer> {
    return this.authorized(
      async (authorization) => this.sendOnce(method, path, body, { ...types, ...authorization }),
      ({ status }) => status,
    );
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
        urlAt(this.server, path),
        { method, headers, timeout: this.options.timeoutMs ?? TIMEOUT_MS, ...this.tls() },
        (response) => {
          for (const warning of warningsOf(response)) this.options.warn?.(warning);
          this.contentOf(response)
            .then((body) => resolve({ status: response.statusCode ?? 0, body: body.toString() }))
            .catch(reject);
        },
      );
      call.on('timeout', () => call.destroy(unavailable(`${this.server} did not answer in time`)));
      call.on('error', (cause) => reject(unavailable(`Cannot reach ${this.server}`, cause)));
      call.end(content);
    });
  }
}

function bearer(token: string | undefined): Authorization {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** What an API says of an error: as YAML, too, where that was accepted. Throws for anything else, such as a page of a proxy. */
function statusOf(body: string): Partial<KubernetesStatus> {
  const status: unknown = parse(body);
  if (typeof status === 'object' && status !== null) return status;
  throw new TypeError('No object');
}

/** Source: https://www.rfc-editor.org/rfc/rfc7234#section-5.5 */
function warningsOf({ headersDistinct }: IncomingMessage): readonly string[] {
  const texts = (headersDistinct['warning'] ?? []).map((header) => /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1]);
  return texts.filter((text) => text !== undefined).map((text) => text.replaceAll(/\\(.)/g, '$1'));
}
