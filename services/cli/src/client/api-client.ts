import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { fromStatus, unavailable, type KubernetesStatus, type PlatformError } from '@crate/errors';
import type { KubeObject } from '@crate/api';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

const TIMEOUT_MS = 30_000;

const JSON_TYPE = 'application/json';
const CONTENT_TYPES: Readonly<Record<string, string>> = { PATCH: 'application/apply-patch+yaml' };

/** Where an API is, and how to be let in. */
export interface ApiAddress {
  readonly server: string;
  /** PEM of the authorities that its certificate may be from; absent: the well-known ones. */
  readonly ca?: string | Buffer | undefined;
  /** Absent: as nobody. */
  readonly token?: string | undefined;
}

interface MediaTypes {
  readonly accept?: string;
  readonly contentType?: string;
}

/** Talks to Crate's own API as `kubectl` would. */
export class ApiClient {
  constructor(private readonly address: ApiAddress) {}

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
    return new ApiClient({ server: cluster.server, ca, token });
  }

  /** Undefined when absent. */
  async find<T extends KubeObject>(path: string): Promise<T | undefined> {
    const { status, body } = await this.send('GET', path);
    if (status === 404) return undefined;
    return this.parseObject<T>(status, body);
  }

  /** The body of a GET as it is, such as a kubeconfig; as JSON unless something else is accepted. */
  async text(path: string, accept = JSON_TYPE): Promise<string> {
    const { status, body } = await this.send('GET', path, undefined, { accept });
    if (status >= 400) throw this.errorOf(status, body);
    return body;
  }

  /** Server-side apply of one object at its own URL. */
  async apply(path: string, object: unknown): Promise<KubeObject> {
    const { status, body } = await this.send('PATCH', `${path}?fieldManager=crate-cli&force=true`, object);
    return this.parseObject(status, body);
  }

  /** `POST`: a new object of a collection, a subresource that makes something, or a review. */
  async create<T>(path: string, object: unknown): Promise<T> {
    const { status, body } = await this.send('POST', path, object);
    return this.parseObject<KubeObject & T>(status, body);
  }

  /** JSON merge patch (RFC 7386). */
  async merge<T extends KubeObject>(path: string, patch: unknown): Promise<T> {
    const { status, body } = await this.send('PATCH', path, patch, { contentType: 'application/merge-patch+json' });
    return this.parseObject<T>(status, body);
  }

  /** The answer to a GET, which must not be an error. */
  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  /** The lines of a long answer, as they come and for as long as they do. */
  async *lines(path: string): AsyncGenerator<string> {
    const response = await this.open('GET', path);
    const status = response.statusCode ?? 0;
    if (status >= 400) throw this.errorOf(status, (await response.toArray()).join(''));
    yield* createInterface({ input: response, crlfDelay: Infinity });
    if (!response.complete) throw unavailable(`${this.server} broke off its answer`);
  }

  /** A file as it is, whatever it holds. */
  async bytes(path: string): Promise<Buffer> {
    const response = await this.open('GET', path);
    const content = Buffer.concat((await response.toArray()) as Buffer[]);
    const status = response.statusCode ?? 0;
    if (status >= 400) throw this.errorOf(status, content.toString());
    if (!response.complete) throw unavailable(`${this.server} broke off its answer`);
    return content;
  }

  async remove(path: string): Promise<void> {
    const { status, body } = await this.send('DELETE', path);
    if (status !== 404) this.parseObject(status, body);
  }

  /** True once the API answers readiness. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.send('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  }

  private parseObject<T extends KubeObject>(status: number, body: string): T {
    if (status >= 400) throw this.errorOf(status, body);
    return JSON.parse(body) as T;
  }

  private errorOf(status: number, body: string): PlatformError {
    try {
      return fromStatus(JSON.parse(body) as Partial<KubernetesStatus>);
    } catch (cause) {
      return unavailable(`${this.server} answered ${status}, which is no answer of the API`, cause);
    }
  }

  private async open(method: string, path: string): Promise<IncomingMessage> {
    const { ca, token } = this.address;
    // Streams are JSON lines or text.
    const headers = {
      accept: `${JSON_TYPE}, */*`,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return new Promise((resolve, reject) => {
      const options = { method, headers, ...(ca === undefined ? {} : { ca }) };
      request(new URL(path, this.server), options, resolve)
        .on('error', (cause) => reject(unavailable(`Cannot reach ${this.server}`, cause)))
        .end();
    });
  }

  private async send(
    method: string,
    path: string,
    body?: unknown,
    { accept = JSON_TYPE, contentType = CONTENT_TYPES[method] ?? JSON_TYPE }: MediaTypes = {},
  ): Promise<{ status: number; body: string }> {
    const { ca, token } = this.address;
    const headers = {
      accept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    };
    return new Promise((resolve, reject) => {
      const call = request(
        new URL(path, this.server),
        { method, headers, timeout: TIMEOUT_MS, ...(ca === undefined ? {} : { ca }) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
          );
        },
      );
      call.on('timeout', () => call.destroy(unavailable(`${this.server} did not answer in time`)));
      call.on('error', (cause) => reject(unavailable(`Cannot reach ${this.server}`, cause)));
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
