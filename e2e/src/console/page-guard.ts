import type { BrowserContext, Page, Request } from '@crate/testing';

/** The browser says so of every refusal; refusals are looked at by themselves. */
const OF_AN_ANSWER = /^Failed to load resource/;
/** Pages leave, and watches end with them. */
const BROKEN_OFF = 'net::ERR_ABORTED';
/** What a token looks like, of whatever issuer. */
const TOKEN = /eyJ[\w-]{8,}\.|crate_[\w-]{16,}/;

/** Notes what the console must never do: errors, refusals, violations of its policy, requests to anybody else. */
export class PageGuard {
  private noted: string[] = [];

  /** `neighbours`: where the console may lead a person to; what happens there is not its doing. */
  constructor(
    context: BrowserContext,
    page: Page,
    private readonly origin: string,
    private readonly neighbours: readonly string[] = [],
  ) {
    context.on('request', (request) => {
      if (this.isOwn(request) && this.isForeign(request)) this.note(`request to ${request.url()}`);
    });
    context.on('response', (response) => {
      const request = response.request();
      if (response.status() >= 400 && this.isOwn(request)) this.note(`${response.status()} ${lineOf(request)}`);
    });
    context.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      if (reason !== BROKEN_OFF && this.isOwn(request)) this.note(`${reason} ${lineOf(request)}`);
    });
    page.on('console', (message) => {
      const isOwn = message.location().url.startsWith(origin);
      if (isOwn && message.type() === 'error' && !OF_AN_ANSWER.test(message.text())) this.note(message.text());
    });
    page.on('pageerror', (error) => this.note(error.message));
  }

  /** What was noted since the last call, but for what is expected here. */
  problems(...expected: readonly RegExp[]): readonly string[] {
    const found = this.noted.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    this.noted = [];
    return [...new Set(found)];
  }

  private note(problem: string): void {
    this.noted.push(problem);
  }

  /** Asked for by a page of the console. */
  private isOwn(request: Request): boolean {
    return request.frame().url().startsWith(this.origin) || request.url().startsWith(this.origin);
  }

  private isForeign(request: Request): boolean {
    const { origin, protocol } = new URL(request.url());
    if (origin === this.origin || protocol === 'data:' || protocol === 'blob:') return false;
    return !(request.isNavigationRequest() && this.neighbours.includes(origin));
  }
}

function lineOf(request: Request): string {
  return `${request.method()} ${new URL(request.url()).pathname}`;
}

/** Everything that a script of the page can read of what the browser keeps, and of what is on the page. */
const READABLE = `(async () => {
  const answer = (request) => new Promise((done, failed) => { request.onsuccess = () => done(request.result); request.onerror = () => failed(request.error); });
  const found = [{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, document.documentElement.outerHTML];
  found.push(Object.entries(window).filter(([, value]) => typeof value === 'string'));
  for (const { name } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name));
    for (const store of database.objectStoreNames) found.push(await answer(database.transaction(store).objectStore(store).getAll()));
    database.close();
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request)).text());
  }
  return JSON.stringify(found);
})()`;

/** Where scripts of the page could find something like a token; empty when nowhere. */
export async function readableTokens(page: Page, ...secrets: readonly string[]): Promise<readonly string[]> {
  const readable = await page.evaluate<string>(READABLE);
  return [readable].filter((text) => TOKEN.test(text) || secrets.some((secret) => text.includes(secret)));
}
