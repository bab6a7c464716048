import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, hasCode } from '@crate/errors';
import type { Authenticate, Exchange } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';
import { BrowserCookie } from './browser-cookies.js';
import { renewalDueAt, type ConsoleSession } from './console-session.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { IssuedTokens, IssuerClient, SignInChecks } from './issuer-client.js';
import { ownTarget } from './own-target.js';
import type { SealedText } from './sealed-text.js';
import { cannotAsk } from './sign-in-prompt.js';
import type { SignOuts } from './sign-outs.js';

/** Why a sign-in came to nothing, as the page is told; stable. */
export type SignInFailure =
  | 'issuer_unknown'
  | 'issuer_unavailable'
  | 'sign_in_expired'
  | 'sign_in_refused'
  | 'token_refused'
  | 'session_too_large'
  | 'too_many_attempts';

const LONGEST_MS = 10 * 60_000;
const HOST = /^(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;

/** A sign-in that is under way, in the browser that began it. */
interface UnderWay extends SignInChecks {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly to: string;
  readonly endsAt: number;
}

export interface OidcSignInOptions {
  /** By name. */
  readonly issuers: ReadonlyMap<string, IssuerClient>;
  readonly sessions: ConsoleSessions;
  readonly sealed: SealedText;
  readonly signOuts: SignOuts;
  readonly authenticate: Authenticate;
  /** Where browsers reach this server; absent: as they say. */
  readonly url?: string | undefined;
  readonly sessionMs: number;
  readonly onSignIn: (exchange: Exchange, method: 'oidc', outcome: 'accepted' | SignInFailure, user?: string) => void;
  readonly logger: Logger;
}

/** Signing in at an issuer: there and back by the browser, which sees a code but never a token. */
export class OidcSignIn {
  // The issuer leads back here from its own site, which a strict cookie would not survive.
  private readonly cookie = new BrowserCookie('__Host-crate-sign-in', 'Lax');

  constructor(private readonly options: OidcSignInOptions) {}

  /** `GET /console/login?issuer=<name>&to=<page>`: off to the issuer. */
  async begin(exchange: Exchange): Promise<void> {
    const { request, response, query } = exchange;
    const { issuers, sealed, signOuts } = this.options;
    const to = ownTarget(query.get('to'));
    const name = query.get('issuer') ?? (issuers.size === 1 ? [...issuers.keys()][0] : undefined);
    const client = issuers.get(name ?? '');
    if (!client) return this.fail(exchange, 'issuer_unknown', to);
    const { randomNonce, randomPKCECodeVerifier, randomState } = await import('openid-client');
    const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const redirectUri = `${this.options.url?.replace(/\/+$/, '') ?? originOf(request)}/console/callback`;
    const underWay: UnderWay = { ...checks, issuer: client.name, redirectUri, to, endsAt: Date.now() + LONGEST_MS };
    try {
      const asksAnew = await signOuts.isLeft(request, client.name);
      const page = await client.signInPage(redirectUri, checks, { asksAnew });
      this.cookie.set(request, response, await sealed.seal('sign-in', underWay), LONGEST_MS);
      redirect(response, page);
    } catch (error) {
      this.fail(exchange, failureOf(error), to, error);
    }
  }

  /** `GET /console/callback`: back from the issuer. */
  async end(exchange: Exchange): Promise<void> {
    const { request, response, query } = exchange;
    const underWay = await this.findUnderWay(request);
    this.cookie.clear(request, response);
    const client = this.options.issuers.get(underWay?.issuer ?? '');
    // Another state: somebody else's sign-in, which a link led this browser into.
    if (!underWay || !client || query.get('state') !== underWay.state) {
      return this.fail(exchange, 'sign_in_expired', underWay?.to);
    }
    // Next time it is asked to sign in whoever is there: nobody is kept out for what it cannot do.
    if (cannotAsk(query.get('error'))) await this.options.signOuts.end(request, response, client.name);
    try {
      const callback = new URL(`${underWay.redirectUri}?${query.toString()}`);
      const tokens = await client.redeem(callback, underWay);
      await this.accept(exchange, tokens, underWay);
    } catch (error) {
      this.fail(exchange, failureOf(error), underWay.to, error);
    }
  }

  private async accept(exchange: Exchange, tokens: IssuedTokens, { issuer, to }: UnderWay): Promise<void> {
    const { request, response } = exchange;
    const { authenticate, sessions, signOuts, onSignIn } = this.options;
    request.headers.authorization = `Bearer ${tokens.idToken}`;
    try {
      const { user } = await authenticate(request, response);
      const session = this.sessionOf(tokens, issuer);
      if (!(await sessions.begin(request, response, session))) return this.fail(exchange, 'session_too_large', to);
      await signOuts.end(request, response, issuer);
      onSignIn(exchange, 'oidc', 'accepted', user);
      redirect(response, to);
    } catch (error) {
      if (!hasCode(error, 'Unauthenticated')) throw error;
      // The issuer knows the person; this platform does not take what it says of her.
      this.fail(exchange, 'token_refused', to, error);
    }
  }

  private sessionOf({ idToken, expiresAt, refreshToken }: IssuedTokens, issuer: string): ConsoleSession {
    const now = Date.now();
    const renewal = refreshToken === undefined ? undefined : { issuer, refreshToken };
    return {
      method: 'oidc',
      issuer,
      token: idToken,
      tokenExpiresAt: expiresAt,
      endsAt: now + this.options.sessionMs,
      ...(renewal ? { renewal: { ...renewal, dueAt: renewalDueAt(expiresAt, now) } } : {}),
    };
  }

  private async findUnderWay(request: IncomingMessage): Promise<UnderWay | undefined> {
    const text = this.cookie.find(request);
    const found = text === undefined ? undefined : ((await this.options.sealed.open('sign-in', text)) as UnderWay);
    return found && Date.now() < found.endsAt ? found : undefined;
  }

  private fail(exchange: Exchange, failure: SignInFailure, to = ownTarget(null), error?: unknown): void {
    this.options.onSignIn(exchange, 'oidc', failure);
    if (error !== undefined) this.options.logger.warn('Refusing a sign-in to the console', { error, failure });
    redirect(exchange.response, `/console/sign-in?${new URLSearchParams({ error: failure, to }).toString()}`);
  }
}

function failureOf(error: unknown): SignInFailure {
  if (hasCode(error, 'TooManyRequests')) return 'too_many_attempts';
  return hasCode(error, 'Unauthenticated') ? 'sign_in_refused' : 'issuer_unavailable';
}

function redirect(response: ServerResponse, location: string): void {
  response.setHeader('cache-control', 'no-store');
  response.writeHead(302, { location, 'content-length': 0 }).end();
}

/** As the browser reaches this server; the issuer checks that it knows the address. */
function originOf({ headers }: IncomingMessage): string {
  const host = String(headers[':authority'] ?? headers.host ?? '');
  if (!HOST.test(host)) throw badRequest('The request does not say which host it is for');
  return `https://${host}`;
}
