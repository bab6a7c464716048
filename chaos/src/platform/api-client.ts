import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../world/kube-object.js';

const TIMEOUT_MS = 20_000;

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** What the API answered; `body` is undefined where it was no JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: KubeObject | undefined;
  readonly text: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Speaks to the public API as any HTTP client does, with nothing of the product's own code. */
export class ApiClient {
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly port: () => Promise<number>,
    private readonly ca: Buffer,
    private readonly token: string,
  ) {}

  /** Signs in as the administrator of a platform's data directory. `port` is asked before each request. */
  static async open(directory: string, port: () => Promise<number>): Promise<ApiClient> {
    const file = parse(await readFile(join(directory, 'admin.kubeconfig'), 'utf8')) as Kubeconfig;
    const ca = Buffer.from(file.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
    return new ApiClient(port, ca, file.users[0]?.user.token ?? '');
  }

  /** Rejects when there was no whole answer: whether it was done is not known then. */
  async send(asked: ApiRequest): Promise<ApiAnswer> {
    return answerOf(await this.open({ ...asked, timeoutMs: TIMEOUT_MS }));
  }

  /** The answer as it comes. */
  async stream(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.open({ method: 'GET', path, signal });
  }

  close(): void {
    this.agent.destroy();
  }

  private async open(asked: ApiRequest & { timeoutMs?: number; signal?: AbortSignal }): Promise<IncomingMessage> {
    const { method, path, body, contentType = 'application/json', timeoutMs, signal } = asked;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.token}`,
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
    };
    const { ca, agent } = this;
    const port = await this.port();
    return new Promise((resolve, reject) => {
      const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const how = {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers,
        ca,
        agent,
        ...limit,
        ...(signal ? { signal } : {}),
      };
      request(how, resolve).on('error', reject).end(text);
    });
  }
}

/** Rejects when the answer ended before its end. */
export async function answerOf(response: IncomingMessage): Promise<ApiAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (!response.complete) throw new Error('The answer was cut off');
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, body: jsonOf(text), text };
}

function jsonOf(text: string): KubeObject | undefined {
  try {
    return JSON.parse(text) as KubeObject;
  } catch {
    return undefined;
  }
}
