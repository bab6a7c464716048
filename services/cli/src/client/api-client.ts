import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import {
  fromStatus,
  statusIn,
  wordsOfOther,
  hasCode,
  unavailable,
  type KubernetesStatus,
  type PlatformError,
} from '@crate/errors';
import type { KubeObject } from '@crate/api';
import { parse } from 'yaml';
import { ADMIN, OWN_CONTEXT } from '../up/kubeconfig.js';
import { isAbsence } from './absence.js';
import {
  ApiTransport,
  JSON_TYPE,
  PROGRAM,
  type Answer,
  type ApiAddress,
  type ApiClientOptions,
} from './api-transport.js';
import { noAnswer } from './no-answer.js';
import { withRemedy } from './remedies.js';

interface Kubeconfig {
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: {
      readonly server: string;
      readonly 'certificate-authority-data': string;
      readonly 'tls-server-name'?: string;
    };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
  readonly contexts?: readonly { readonly name: string; readonly context: { readonly user: string } }[];
}

const CREATED = 201;
const YAML_TYPE = 'application/yaml';

interface LinesOptions {
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Told once the API has begun to answer with something other than a refusal. */
  readonly onOpen?: () => void;
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
  /** Only as long as it is as it was read. */
  readonly resourceVersion?: string;
}

/** Talks to Crate's own API as `kubectl` would. */
export class ApiClient {
  private readonly transport: ApiTransport;

  constructor(
    private readonly address: ApiAddress,
    private readonly options: ApiClientOptions = {},
  ) {
    this.transport = new ApiTransport(address, options);
  }

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
    const cluster = config.clusters.find(({ name }) => name === OWN_CONTEXT)?.cluster;
    const isAdmin = config.contexts?.some(({ name, context }) => name === OWN_CONTEXT && context.user === ADMIN);
    const token = config.users.find(({ name }) => name === ADMIN)?.user.token;
    if (!cluster || !isAdmin || token === undefined) throw unavailable(`${path} does not name its administrator`);
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
    return new ApiClient({ server: cluster.server, servername: cluster['tls-server-name'], ca, token });
  }

  /** Undefined when the API says that the object is not there. Throws Unavailable when it does not know the path, which may pass. */
  async find<T extends KubeObject>(path: string): Promise<T | undefined> {
    return this.unlessAbsent<T>(await this.transport.send('GET', path), path);
  }

  /** The body of a GET as it is; as JSON unless something else is accepted. */
  async text(path: string, accept = JSON_TYPE): Promise<string> {
    const { status, body } = await this.transport.send('GET', path, undefined, { accept });
    if (isRefusal(status)) throw this.errorOf(status, body, path);
    return body;
  }

  /** The kubeconfig at a path, as it is. Throws Unavailable for what is none, such as a page of a proxy. */
  async kubeconfig(path: string): Promise<string> {
    const { status, body } = await this.transport.send('GET', path, undefined, { accept: YAML_TYPE });
    if (isRefusal(status)) throw this.errorOf(status, body, path);
    if (!isKubeconfig(body)) throw noAnswer(this.server, status);
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
    const { status, body } = await this.transport.send('PATCH', `${path}?${query}`, object);
    return { object: this.parsed<KubeObject>(status, body, path), isNew: status === CREATED };
  }

  /** `POST`: a new object of a collection, a subresource that makes something, or a review. */
  async create<T>(path: string, object: unknown): Promise<T> {
    const { status, body } = await this.transport.send('POST', path, object);
    return this.parsed<T>(status, body, path);
  }

  /** JSON merge patch (RFC 7386). */
  async merge<T extends KubeObject>(path: string, patch: unknown): Promise<T> {
    const { status, body } = await this.transport.send('PATCH', path, patch, {
      contentType: 'application/merge-patch+json',
    });
    return this.parsed<T>(status, body, path);
  }

  /** The answer to a GET, which must not be an error. */
  async get<T>(path: string, accept?: string): Promise<T> {
    const { status, body } = await this.transport.send('GET', path, undefined, accept === undefined ? {} : { accept });
    return this.parsed<T>(status, body, path);
  }

  /** The lines of a long answer, as they come and for as long as they do; `signal` ends it without an error. */
  async *lines(path: string, { accept, signal, onOpen }: LinesOptions = {}): AsyncGenerator<string> {
    const response = await this.transport.open('GET', path, accept);
    signal?.addEventListener('abort', () => response.destroy(), { once: true });
    const { statusCode = 0 } = response;
    if (!isRefusal(statusCode)) onOpen?.();
    try {
      if (isRefusal(statusCode)) throw await this.refusalOf(response, path);
      yield* this.transport.linesOf(response);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  /** A file as it is, whatever it holds. */
  async bytes(path: string): Promise<Buffer> {
    const response = await this.transport.open('GET', path);
    if (isRefusal(response.statusCode ?? 0)) throw await this.refusalOf(response, path);
    return this.transport.contentOf(response);
  }

  /** What is gone already is fine. */
  async remove(path: string): Promise<void> {
    this.unlessAbsent(await this.transport.send('DELETE', path), path);
  }

  /** As `remove`, and throws NotFound for what is not there. */
  async removeExisting(
    path: string,
    { propagationPolicy, dryRun, ...preconditions }: RemoveOptions = {},
  ): Promise<void> {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(dryRun ? { dryRun: ['All'] } : {}),
      ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    };
    // Said twice: nothing is to be deleted because a body did not arrive.
    const { status, body } = await this.transport.send('DELETE', dryRun ? `${path}?dryRun=All` : path, options);
    this.parsed(status, body, path);
  }

  /** True once the API answers readiness; a page of a proxy is no answer of it. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.text('/readyz')) === 'ok';
    } catch {
      return false;
    }
  }

  private async refusalOf(response: IncomingMessage, path: string): Promise<PlatformError> {
    const content = await this.transport.contentOf(response);
    return this.errorOf(response.statusCode ?? 0, content.toString(), path);
  }

  private unlessAbsent<T extends KubeObject>({ status, body }: Answer, path: string): T | undefined {
    if (status !== 404) return this.parsed<T>(status, body, path);
    const error = this.errorOf(status, body, path);
    if (isAbsence(error)) return undefined;
    throw hasCode(error, 'NotFound') ? unavailable(`${this.server} does not know ${path} now`, error) : error;
  }

  private parsed<T>(status: number, body: string, path: string): T {
    if (isRefusal(status)) throw this.errorOf(status, body, path);
    try {
      return JSON.parse(body) as T;
    } catch (cause) {
      throw noAnswer(this.server, status, cause);
    }
  }

  private errorOf(status: number, body: string, path: string): PlatformError {
    try {
      return withRemedy(fromStatus(statusOf(body)), path);
    } catch (cause) {
      return noAnswer(this.server, status, cause, wordsOfOther(body));
    }
  }
}

/** The API sends nobody elsewhere. */
function isRefusal(status: number): boolean {
  return status >= 300;
}

function isKubeconfig(text: string): boolean {
  try {
    const { clusters, users } = (parse(text) ?? {}) as Partial<Kubeconfig>;
    return [clusters, users].every((list) => Array.isArray(list) && list.length > 0);
  } catch {
    return false;
  }
}

/** What an API says of an error: as YAML, too, where that was accepted. Throws for anything else, such as a page of a proxy. */
function statusOf(body: string): Partial<KubernetesStatus> {
  const status = statusIn(parse(body));
  if (status) return status;
  throw new TypeError('No Status');
}
