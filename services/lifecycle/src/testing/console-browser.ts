import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

/** What a browser got. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser as far as cookies go: keeps those that are set, drops those that end, and sends them back. */
export class ConsoleBrowser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly ca: string | Buffer,
  ) {}

  /** As the console's page asks. */
  async fromPage(path: string, { headers, ...ask }: Ask = {}): Promise<BrowserAnswer> {
    return this.ask(path, { ...ask, headers: { 'x-crate-console': '1', 'sec-fetch-site': 'same-origin', ...headers } });
  }

  /** Without anything that a page would add. */
  async ask(path: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<BrowserAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const options = { method, headers: sent, ca: this.ca, agent: false };
      const call = request(new URL(path, this.url), options, (response) => {
        for (const line of response.headers['set-cookie'] ?? []) this.keep(line);
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      call.on('error', reject);
      call.end(text);
    });
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
