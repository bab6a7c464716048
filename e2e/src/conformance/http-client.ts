import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Document } from './documents.js';

export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON. */
  readonly body: Answered;
}

/** A document of any kind, as far as rows look into it. What a kind has not is undefined; rows know what they asked for. */
export interface Answered {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Record<string, string>;
    readonly annotations: Record<string, string>;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly Answered[];
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: {
    readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  };
}

interface Init {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** How long one answer may take; by default for ever. Of who is to ask again, each. */
  readonly withinMs?: number;
}

/** Plain requests, as from curl. */
export class HttpClient {
  private readonly agent: Agent;

  constructor(readonly access: Access) {
    this.agent = new Agent({ ca: access.ca, keepAlive: true });
  }

  close(): void {
    this.agent.destroy();
  }

  /** The same server as somebody else. */
  as(token: string): HttpClient {
    return new HttpClient({ ...this.access, token });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('POST', path, { body, headers });
  }

  /** Creates or replaces by server-side apply, with further parameters in `query`; rejects when that is refused. */
  async apply(document: Document, namespace: string, query = ''): Promise<Answer> {
    const { apiVersion, kind, metadata } = document;
    const plural = `${kind.toLowerCase()}s`;
    const collection = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
    const path = `${collection}/${metadata.name}?fieldManager=bench&force=true${query}`;
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const answer = await this.call('PATCH', path, { body: document, headers });
    if (answer.code >= 300) throw new Error(`${kind} ${metadata.name} was not applied: ${answer.text}`);
    return answer;
  }

  /** Whoever asks too much waits for as long as told, and asks again. Rejects when there is no answer. */
  async call(method: string, path: string, init: Init = {}): Promise<Answer> {
    for (;;) {
      const answer = await this.callOnce(method, path, init);
      if (answer.code !== 429) return answer;
      await delay(Number(answer.headers['retry-after'] ?? 1) * 1000);
    }
  }

  private async callOnce(method: string, path: string, init: Init): Promise<Answer> {
    const response = await this.open(method, path, init);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
    const body = (isJson ? parsed(text) : {}) as Answered;
    return { code: response.statusCode ?? 0, headers: response.headers, text, body };
  }

  /** The events of a watch; ends it when so many came or they are enough, or when the server does. */
  async watch(
    path: string,
    enough: number | ((events: readonly Event[]) => boolean) = Infinity,
    onOpen: () => Promise<unknown> = () => Promise.resolve(),
    headers: Record<string, string> = {},
  ): Promise<Event[]> {
    const events: Event[] = [];
    const isEnough = typeof enough === 'function' ? enough : ({ length }: readonly Event[]) => length >= enough;
    const response = await this.open('GET', path, { headers });
    await onOpen();
    let buffered = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (buffered + String(chunk)).split('\n');
      buffered = lines.pop() ?? '';
      events.push(...lines.map((line) => JSON.parse(line) as Event));
      if (isEnough(events)) break;
    }
    response.destroy();
    return events;
  }

  private async open(method: string, path: string, { body, headers = {}, withinMs }: Init): Promise<IncomingMessage> {
    const { url, token } = this.access;
    const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
    const content = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
    const sent = request(`${url}${path}`, {
      method,
      agent: this.agent,
      ...(withinMs === undefined ? {} : { signal: AbortSignal.timeout(withinMs) }),
      headers: {
        'content-type': 'application/json',
        // Node states none for a DELETE, even one with a body.
        'content-length': Buffer.byteLength(content),
        ...authorization,
        ...headers,
      },
    });
    sent.end(content);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  }
}

/** A watch is a document a line: no document at all to whoever wants one. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** One line of a watch. */
export interface Event {
  readonly type: string;
  readonly object: Answered;
}
