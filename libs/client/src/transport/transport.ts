import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { timeout, unavailable } from '@crate/errors';
import type { Credentials } from '../credentials/credentials.js';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Where the API is, and how to be let in. */
export interface ClientOptions {
  /** Such as `https://crate.example.com:6440`; requests go below its path, when it has one. */
  readonly server: string;
  /** The name that the server's certificate is for. Absent: that in `server`. */
  readonly tlsServerName?: string;
  /** PEM of the authorities that the server's certificate may be from. Absent: the well-known ones. */
  readonly ca?: string | Buffer;
  /** Trusts any certificate. For trying things out only. */
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM of a certificate and key of the client's own. */
  readonly clientCertificate?: { readonly certificate: string | Buffer; readonly key: string | Buffer };
  /** Absent: as nobody, or as `clientCertificate` says. */
  readonly credentials?: Credentials;
  /** How long the server may be silent; default 30 s. Watches take what they ask for. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
}

export interface TransportRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** In place of the client's. */
  readonly timeoutMs?: number;
}

/** HTTP to one server over connections that are kept. */
export class Transport {
  private readonly agent: HttpAgent;
  private readonly send: typeof requestHttp;

  constructor(private readonly options: ClientOptions) {
    const isSecure = new URL(options.server).protocol === 'https:';
    this.agent = isSecure
      ? new HttpsAgent({ keepAlive: true, ...tlsOptions(options) })
      : new HttpAgent({ keepAlive: true });
    this.send = isSecure ? requestHttps : requestHttp;
  }

  get server(): string {
    return this.options.server;
  }

  /** The response once its headers are there. Throws Unavailable when the server cannot be reached, Timeout when it stays silent. */
  open(request: TransportRequest): Promise<IncomingMessage> {
    const { method, path, headers, body, signal, timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = request;
    const { server, userAgent = 'crate-client' } = this.options;
    const options: RequestOptions = {
      ...{ method, agent: this.agent, timeout: timeoutMs },
      headers: { 'user-agent': userAgent, ...headers },
      ...(signal ? { signal } : {}),
    };
    return new Promise((resolve, reject) => {
      const call = this.send(`${server.replace(/\/+$/, '')}${path}`, options, resolve);
      call.on('timeout', () => call.destroy(timeout(`${server} did not answer in time`)));
      call.on('error', (error) => reject(signal?.aborted ? error : reachError(server, error)));
      call.end(body);
    });
  }

  /** Ends connections that are kept. */
  close(): void {
    this.agent.destroy();
  }
}

function reachError(server: string, error: Error): Error {
  return 'code' in error && error.code === 'Timeout'
    ? error
    : unavailable(`Cannot reach ${server}: ${error.message}`, error);
}

function tlsOptions({ ca, insecureSkipTlsVerify, clientCertificate, tlsServerName }: ClientOptions): object {
  return {
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    ...(ca === undefined ? {} : { ca }),
    ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    ...(clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {}),
  };
}
