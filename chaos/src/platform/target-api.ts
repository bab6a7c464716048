import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { parse } from 'yaml';
import { answerOf, type ApiAnswer, type ApiRequest } from './api-client.js';

const TIMEOUT_MS = 10_000;

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ];
}

/** Speaks to the API of a target cluster as whoever has a kubeconfig of it. */
export class TargetApi {
  private readonly server: string;
  private readonly tls: Readonly<Record<'ca' | 'cert' | 'key', Buffer>>;

  constructor(kubeconfig: string) {
    const { clusters, users } = parse(kubeconfig) as Kubeconfig;
    const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
    const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
    this.server = server;
    this.tls = { ca: Buffer.from(ca, 'base64'), cert: Buffer.from(cert, 'base64'), key: Buffer.from(key, 'base64') };
  }

  /** Rejects when there was no whole answer in time. */
  async send({ method, path, body, contentType = 'application/json' }: ApiRequest): Promise<ApiAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) };
    const how = { ...this.tls, method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, this.server), how, resolve).on('error', reject).end(text);
    });
    return answerOf(response);
  }
}
