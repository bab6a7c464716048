import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, ExtraRoute } from '@crate/resource-server';
import { BrowserCookie } from './browser-cookies.js';
import type { SealedText } from './sealed-text.js';

const PATH = '/console/signed-out';
/** Sessions at issuers last as long as a day of work, as a rule. */
const KEPT_MS = 12 * 3_600_000;

interface SignedOut {
  /** Whose session it was, by name. */
  readonly issuer: string;
  /** Where the issuer ends its own session. */
  readonly page?: string;
  readonly endsAt: number;
}

/**
 * What is left to do at the issuer after somebody signed out here: the page of the console goes by `/console/signed-out`, since the
 * address at the issuer has the ID token in it, which no script is to see. Where an issuer ends no sessions, it is made to ask who is
 * there at the next sign-in of this browser.
 */
export class SignOuts {
  private readonly cookie = new BrowserCookie('__Host-crate-signed-out', 'Lax');

  constructor(private readonly sealed: SealedText) {}

  readonly route: ExtraRoute = {
    isPublic: true,
    matches: (method, path) => method === 'GET' && path === PATH,
    handle: (exchange) => this.leave(exchange),
  };

  /** Keeps it in the browser; gives where the browser is to go, if anywhere. */
  async begin(
    request: IncomingMessage,
    response: ServerResponse,
    { issuer, page }: Pick<SignedOut, 'issuer' | 'page'>,
  ): Promise<string | undefined> {
    const signedOut: SignedOut = { issuer, ...(page === undefined ? {} : { page }), endsAt: Date.now() + KEPT_MS };
    const isKept = this.cookie.set(request, response, await this.sealed.seal('sign-out', signedOut), KEPT_MS);
    return isKept && page !== undefined ? PATH : undefined;
  }

  /** Whether somebody signed out in this browser whose session at this issuer nobody ended. */
  async isLeft(request: IncomingMessage, issuer: string): Promise<boolean> {
    return (await this.find(request))?.issuer === issuer;
  }

  /** Nothing is left to do at this issuer; what is left at another stays. */
  async end(request: IncomingMessage, response: ServerResponse, issuer: string): Promise<void> {
    if (await this.isLeft(request, issuer)) this.cookie.clear(request, response);
  }

  private async leave({ request, response }: Exchange): Promise<void> {
    const { page = '/console/sign-in' } = (await this.find(request)) ?? {};
    this.cookie.clear(request, response);
    response.setHeader('cache-control', 'no-store');
    response.writeHead(302, { location: page, 'referrer-policy': 'no-referrer', 'content-length': 0 }).end();
  }

  private async find(request: IncomingMessage): Promise<SignedOut | undefined> {
    const text = this.cookie.find(request);
    const found =
      text === undefined ? undefined : ((await this.sealed.open('sign-out', text)) as SignedOut | undefined);
    return found && Date.now() < found.endsAt ? found : undefined;
  }
}
