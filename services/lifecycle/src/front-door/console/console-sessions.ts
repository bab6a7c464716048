import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasCode } from '@crate/errors';
import { BrowserCookie } from './browser-cookies.js';
import type { ConsoleSession } from './console-session.js';
import type { SealedText } from './sealed-text.js';
import type { SessionRenewal } from './session-renewal.js';

/** Sent by the page with every request; no other origin can send it, because nothing here answers a preflight. */
const PAGE_HEADER = 'x-crate-console';

/** Whether the page sends this. */
export function isFromPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return headers[PAGE_HEADER] === '1' && (site === undefined || site === 'same-origin');
}

/** Sessions of browsers. The service keeps none: each is in its browser's cookie, sealed. */
export class ConsoleSessions {
  private readonly cookie = new BrowserCookie('__Host-crate-session', 'Strict');

  constructor(
    private readonly sealed: SealedText,
    private readonly renewal: SessionRenewal,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The session that a request may use, its token renewed where that is due; undefined when there is none, or when it is not certain
   * that the console's own page asks. Throws Unavailable when the token has ended and the issuer does not answer.
   */
  async find(request: IncomingMessage, response: ServerResponse): Promise<ConsoleSession | undefined> {
    if (!isFromPage(request) && !isOwnNavigation(request)) return undefined;
    const session = await this.peek(request);
    if (!session) return undefined;
    try {
      const current = await this.renewal.current(session);
      if (current !== session) await this.begin(request, response, current);
      return current;
    } catch (error) {
      if (!hasCode(error, 'Unauthenticated')) throw error;
      this.cookie.clear(request, response);
      return undefined;
    }
  }

  /** The session as the browser has it, whoever asks. */
  async peek(request: IncomingMessage): Promise<ConsoleSession | undefined> {
    const text = this.cookie.find(request);
    const session = text === undefined ? undefined : ((await this.sealed.open('session', text)) as ConsoleSession);
    return session && this.now() < session.endsAt ? session : undefined;
  }

  /** Gives the session to the browser; false when it is too long for one. */
  async begin(request: IncomingMessage, response: ServerResponse, session: ConsoleSession): Promise<boolean> {
    const lifetimeMs = session.endsAt - this.now();
    return this.cookie.set(request, response, await this.sealed.seal('session', session), lifetimeMs);
  }

  end(request: IncomingMessage, response: ServerResponse): void {
    this.cookie.clear(request, response);
  }
}

/** A link or a download within this origin; anything that changes something needs the header. */
function isOwnNavigation({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['sec-fetch-site'] === 'same-origin';
}
