import { randomBytes } from 'node:crypto';
import { forbidden, unauthenticated } from '@crate/errors';
import type { Exchange, ExtraRoute } from '@crate/resource-server';
import { isFromPage } from './console-sessions.js';
import type { Handovers } from './handovers.repository.js';
import type { SealedText } from './sealed-text.js';

const PATH = '/console/sign-in-codes';
/** As long as a browser takes to open. */
const LIFETIME_MS = 60_000;
const CODE_BYTES = 32;
const BEARER = /^Bearer (\S+)$/i;

/**
 * Codes that stand for a token, once and for a minute: `crate console` opens a browser with one, as an address is no place for a
 * token. Any replica takes a code of any other.
 */
export class SignInCodes {
  constructor(
    private readonly handovers: Handovers,
    private readonly sealed: SealedText,
  ) {}

  /** `POST /console/sign-in-codes`, by who shows a token: a code for a session with that very token. */
  get route(): ExtraRoute {
    return {
      matches: (method, path) => method === 'POST' && path === PATH,
      handle: (exchange) => this.issue(exchange),
    };
  }

  /** The token of a code that nobody used before; throws Unauthenticated. */
  async redeem(code: string): Promise<string> {
    const token = await this.opened(code, await this.handovers.take(handle(code)));
    if (token === undefined) throw unauthenticated('The sign-in code is not known, was used, or has ended');
    return token;
  }

  /** The token of a code, which stays good; undefined when it is not. */
  async find(code: string): Promise<string | undefined> {
    return this.opened(code, await this.handovers.find(handle(code)));
  }

  private async opened(code: string, text: string | undefined): Promise<string | undefined> {
    const token = text === undefined ? undefined : await this.sealed.open('handover', text, handle(code));
    return typeof token === 'string' ? token : undefined;
  }

  private async issue({ request, respond, response }: Exchange): Promise<void> {
    // A script that got into the page must not carry the session elsewhere.
    if (isFromPage(request)) throw forbidden('A sign-in code is for who shows a token, not for the console');
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated('A sign-in code needs a bearer token');
    const code = randomBytes(CODE_BYTES).toString('base64url');
    // Bound to its code: whoever can write to the database must not put one person's token under another's code.
    const content = await this.sealed.seal('handover', token, handle(code));
    await this.handovers.put(handle(code), content, LIFETIME_MS);
    response.setHeader('cache-control', 'no-store');
    // Behind the "#" it is sent nowhere, and stands in no log.
    const path = `/console/sign-in#code=${code}`;
    respond.object(201, { code, path, expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString() });
  }
}

function handle(code: string): string {
  return `sign-in code ${code}`;
}
