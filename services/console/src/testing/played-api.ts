/** An open watch of the page. */
export interface PlayedWatch {
  readonly query: URLSearchParams;
  send(line: unknown): void;
  end(): void;
}

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

type Answer = (query: URLSearchParams, init: RequestInit) => Response;

/** In place of the network: answers what a test says, and lets it speak on the page's watches. */
export class PlayedApi {
  /** How many times something was listed. */
  lists = 0;
  /** What was sent, as "METHOD path". */
  readonly calls: { readonly call: string; readonly body: unknown }[] = [];
  private readonly answers = new Map<string, Answer>();
  private readonly watches = new Map<string, PlayedWatch[]>();
  private readonly waiting = new Map<string, ((watch: PlayedWatch) => void)[]>();
  private original: typeof fetch | undefined;

  install(): void {
    this.original = globalThis.fetch;
    this.lists = 0;
    this.calls.length = 0;
    this.answers.clear();
    this.watches.clear();
    // Whatever `handle` throws is a request that had no answer.
    globalThis.fetch = (input, init = {}) =>
      new Promise((resolve) =>
        resolve(this.handle(new URL(input instanceof Request ? input.url : input, 'https://crate'), init)),
      );
  }

  remove(): void {
    if (this.original) globalThis.fetch = this.original;
  }

  /** Answers GET, or `method`, at `path` with JSON. */
  json(path: string, body: unknown, { method = 'GET', status = 200 } = {}): void {
    this.answers.set(`${method} ${path}`, () => Response.json(body, { status }));
  }

  /** Answers GET at `path` by what it is asked. */
  answer(path: string, body: (query: URLSearchParams) => unknown): void {
    this.answers.set(`GET ${path}`, (query) => Response.json(body(query)));
  }

  /** Answers POST at `path` by what is sent. */
  reply(path: string, body: (sent: string) => unknown): void {
    this.answers.set(`POST ${path}`, (_, { body: sent }) => Response.json(body(typeof sent === 'string' ? sent : '')));
  }

  /** Answers lists of `path`, from now on. */
  list(path: string, items: readonly unknown[], resourceVersion = '1'): void {
    this.answers.set(`GET ${path}`, () => {
      this.lists += 1;
      return Response.json({ items, metadata: { resourceVersion } });
    });
  }

  /** Nobody answers GET at `path`, as when the platform is down. */
  fail(path: string, method = 'GET'): void {
    this.answers.set(`${method} ${path}`, () => {
      throw new TypeError('Failed to fetch');
    });
  }

  refuse(path: string, code: number, refusal: Refusal, method = 'GET'): void {
    this.json(path, { kind: 'Status', code, ...refusal }, { method, status: code });
  }

  /** The next watch of `path` that nobody took yet. */
  watchOf(path: string): Promise<PlayedWatch> {
    const open = this.watches.get(path)?.shift();
    if (open) return Promise.resolve(open);
    return new Promise((resolve) => {
      this.waiting.set(path, [...(this.waiting.get(path) ?? []), resolve]);
    });
  }

  private handle(url: URL, init: RequestInit): Response {
    const method = init.method ?? 'GET';
    if (url.searchParams.get('watch') === 'true') return this.openWatch(url, init.signal);
    this.calls.push({ call: `${method} ${url.pathname}`, body: init.body });
    const answer = this.answers.get(`${method} ${url.pathname}`);
    if (answer) return answer(url.searchParams, init);
    return Response.json(
      { kind: 'Status', code: 404, reason: 'NotFound', message: `no ${url.pathname}` },
      { status: 404 },
    );
  }

  private openWatch(url: URL, signal: AbortSignal | null | undefined): Response {
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
    signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
    const watch: PlayedWatch = {
      query: url.searchParams,
      send: (line) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`)),
      end: () => controller.close(),
    };
    const taker = this.waiting.get(url.pathname)?.shift();
    if (taker) taker(watch);
    else this.watches.set(url.pathname, [...(this.watches.get(url.pathname) ?? []), watch]);
    return new Response(body);
  }
}
