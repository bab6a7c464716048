import type { IncomingMessage, ServerResponse } from 'node:http';

/** Browsers keep 4,096 bytes of one cookie, name and attributes included. */
const PART_LENGTH = 3_500;
/** Together they leave room in the 32 KiB that a request's head may have. */
const MOST_PARTS = 5;

/** Who gets a cookie: only pages of this origin, or also a page that an issuer leads back to. */
export type SameSite = 'Strict' | 'Lax';

/**
 * A cookie that only this very host gets back, over TLS, and that no script reads. What does not fit into one cookie goes on in
 * further ones, `<name>-1` and so on: tokens of people in many groups are long.
 */
export class BrowserCookie {
  constructor(
    private readonly name: string,
    private readonly sameSite: SameSite,
  ) {}

  /** Undefined when the browser has none, or not all parts of it. */
  find(request: IncomingMessage): string | undefined {
    const cookies = cookiesOf(request);
    const [, count = '', first = ''] = /^([1-9])\.(.+)$/.exec(cookies.get(this.name) ?? '') ?? [];
    const rest = Array.from({ length: Math.max(0, Number(count) - 1) }, (_, index) =>
      cookies.get(this.partName(index + 1)),
    );
    if (first === '' || rest.includes(undefined)) return undefined;
    return [first, ...rest].join('');
  }

  /** False, and nothing set, when it is too long for browsers. */
  set(request: IncomingMessage, response: ServerResponse, value: string, lifetimeMs: number): boolean {
    const parts = value.match(new RegExp(`.{1,${PART_LENGTH}}`, 'g')) ?? [];
    if (parts.length > MOST_PARTS) return false;
    const age = Math.max(1, Math.floor(lifetimeMs / 1000));
    parts.forEach((part, index) =>
      this.send(response, this.partName(index), index === 0 ? `${parts.length}.${part}` : part, age),
    );
    this.forget(request, response, parts.length);
    return true;
  }

  clear(request: IncomingMessage, response: ServerResponse): void {
    this.forget(request, response, 0);
  }

  /** Parts that the browser has from a longer one. */
  private forget(request: IncomingMessage, response: ServerResponse, from: number): void {
    const cookies = cookiesOf(request);
    for (let index = from; index < MOST_PARTS; index += 1) {
      const name = this.partName(index);
      if (cookies.has(name)) this.send(response, name, '', 0);
    }
  }

  private send(response: ServerResponse, name: string, value: string, maxAgeSeconds: number): void {
    const attributes = `Max-Age=${maxAgeSeconds}; Path=/; Secure; HttpOnly; SameSite=${this.sameSite}`;
    // Of two by one name browsers keep the later one; only one is to be sent.
    const others = [response.getHeader('set-cookie') ?? []].flat().map(String);
    const kept = others.filter((cookie) => !cookie.startsWith(`${name}=`));
    response.setHeader('set-cookie', [...kept, `${name}=${value}; ${attributes}`]);
  }

  private partName(index: number): string {
    return index === 0 ? this.name : `${this.name}-${index}`;
  }
}

function cookiesOf({ headers }: IncomingMessage): ReadonlyMap<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)] as const;
    }),
  );
}
