import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { badRequest, conflict, forbidden, hasCode, PlatformError } from '@crate/errors';
import type { SignInLimits } from '@crate/http-guard';
import type { Caller } from '@crate/resource-client';
import { readBody, type Authenticate, type Exchange, type ExtraRoute } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';
import { z } from 'zod';
import { sessionEndsAt, statedExpiry, type ConsoleSession } from './console-session.js';
import { isFromPage, type ConsoleSessions } from './console-sessions.js';
import type { IssuerClient } from './issuer-client.js';
import type { SignInCodes } from './sign-in-codes.js';
import type { SignOuts } from './sign-outs.js';

const PATH = '/console/session';
const METHODS = ['GET', 'POST', 'DELETE'];
const BODY_LIMIT_BYTES = 32 * 1024;

const signInSchema = z.union([
  z.strictObject({ token: z.string().trim().min(1) }),
  z.strictObject({ code: z.string().min(1).max(200), replace: z.boolean().optional() }),
]);

type StatedCode = Extract<z.infer<typeof signInSchema>, { readonly code: string }>;

export interface SessionRouteOptions {
  readonly sessions: ConsoleSessions;
  readonly codes: SignInCodes;
  readonly signOuts: SignOuts;
  /** By name. */
  readonly issuers: ReadonlyMap<string, IssuerClient>;
  /** Codes are tried within these. */
  readonly signIns: Pick<SignInLimits, 'attempt'>;
  /** Within them, too. */
  readonly authenticate: Authenticate;
  readonly sessionMs: number;
  readonly onSignIn: (exchange: Exchange, method: 'token', outcome: string, user?: string) => void;
  readonly logger: Logger;
}

/** `/console/session`: who is signed in, signing in with a token or a code, and signing out. For the console's page alone. */
export function sessionRoute(options: SessionRouteOptions): ExtraRoute {
  return {
    isPublic: true,
    matches: (_method, path) => path === PATH,
    handle: async (exchange) => {
      const { method, request, response } = exchange;
      response.setHeader('cache-control', 'no-store');
      if (!METHODS.includes(method)) throw wrongMethod(exchange);
      if (!isFromPage(request)) throw forbidden('Only the console asks for this: X-Crate-Console is missing');
      if (method === 'GET') await show(exchange, options);
      else if (method === 'POST') await signIn(exchange, options);
      else await signOut(exchange, options);
    },
  };
}

async function show(exchange: Exchange, { sessions, authenticate }: SessionRouteOptions): Promise<void> {
  const { request, response, respond } = exchange;
  const session = await sessions.find(request, response);
  if (session) request.headers.authorization = `Bearer ${session.token}`;
  const caller = await authenticate(request, response);
  respond.object(200, shown(caller, session));
}

async function signIn(exchange: Exchange, options: SessionRouteOptions): Promise<void> {
  const { request, response, respond } = exchange;
  const { sessions, authenticate, onSignIn } = options;
  try {
    const stated = await statedBy(exchange);
    const token = 'token' in stated ? stated.token : await redeemed(exchange, stated, options);
    request.headers.authorization = `Bearer ${token}`;
    const caller = await authenticate(request, response);
    const session = sessionOf(token, options.sessionMs);
    if (!(await sessions.begin(request, response, session))) throw badRequest('The token is too long for a browser');
    onSignIn(exchange, 'token', 'accepted', caller.user);
    respond.object(200, shown(caller, session));
  } catch (error) {
    // Nothing was tried: the page asks the person, and comes again.
    if (hasCode(error, 'Conflict')) throw error;
    const outcome = hasCode(error, 'TooManyRequests') ? 'too_many_attempts' : 'token_refused';
    onSignIn(exchange, 'token', outcome);
    throw error;
  }
}

/** Each code that is tried costs statements, and anybody may send one. */
function redeemed(exchange: Exchange, { code, replace }: StatedCode, options: SessionRouteOptions): Promise<string> {
  return options.signIns.attempt(exchange.request, `code ${code}`, async () => {
    if (replace !== true) await keepSessionOfAnother(exchange, code, options);
    return options.codes.redeem(code);
  });
}

async function statedBy({ request }: Exchange): Promise<z.infer<typeof signInSchema>> {
  const body = signInSchema.safeParse(parse((await readBody(request, BODY_LIMIT_BYTES)).toString('utf8')));
  if (!body.success) throw badRequest('The body must be {"token": "…"} or {"code": "…"}, as JSON');
  return body.data;
}

/**
 * Anybody can send somebody a link with a code of their own. Throws Conflict, and leaves the code good, where it would put a browser
 * that a person is signed in with into the account of another.
 */
async function keepSessionOfAnother(
  { request, response }: Exchange,
  code: string,
  { sessions, codes, authenticate }: SessionRouteOptions,
): Promise<void> {
  const session = await sessions.find(request, response);
  const token = session && (await codes.find(code));
  if (!session || token === undefined) return;
  const userOf = async (shown: string): Promise<string | undefined> => {
    request.headers.authorization = `Bearer ${shown}`;
    try {
      return (await authenticate(request, response)).user;
    } catch (error) {
      if (!hasCode(error, 'Unauthenticated')) throw error;
      return undefined;
    }
  };
  const [holder, other] = [await userOf(session.token), await userOf(token)];
  if (holder === undefined || other === undefined || holder === other) return;
  throw conflict(`You are signed in as ${holder}, and this address signs in as ${other}`, {
    reason: 'SignedInAsAnother',
    remedy: 'Send {"code": "…", "replace": true} if that is meant',
  });
}

/** Here first: an issuer that is down keeps nobody signed in. Says where the browser is to go on to, if anywhere. */
async function signOut(exchange: Exchange, options: SessionRouteOptions): Promise<void> {
  const { request, response, respond } = exchange;
  const { sessions, issuers, signOuts } = options;
  const session = await sessions.peek(request);
  sessions.end(request, response);
  const client = issuers.get(session?.issuer ?? session?.renewal?.issuer ?? '');
  if (!session || !client) return void response.writeHead(204).end();
  const page = await leaveIssuer(session, client, options);
  const left = { issuer: client.name, ...(page === undefined ? {} : { page }) };
  const next = await signOuts.begin(request, response, left);
  if (next === undefined) response.writeHead(204).end();
  else respond.object(200, { next });
}

/** Ends the refresh token; gives where the issuer ends its session, if it says so. */
async function leaveIssuer(
  { token, renewal }: ConsoleSession,
  client: IssuerClient,
  { logger }: SessionRouteOptions,
): Promise<string | undefined> {
  try {
    if (renewal) await client.revoke(renewal.refreshToken);
    return await client.signOutPage(token);
  } catch (error) {
    logger.warn('Failing to end a session at its issuer', { error, issuer: client.name });
    return undefined;
  }
}

function sessionOf(token: string, sessionMs: number): ConsoleSession {
  const tokenExpiresAt = statedExpiry(token);
  const endsAt = Date.now() + sessionMs;
  return { method: 'token', token, endsAt, ...(tokenExpiresAt === undefined ? {} : { tokenExpiresAt }) };
}

/** Without a session, somebody shows a token as for any other request. */
function shown({ user, groups }: Caller, session: ConsoleSession | undefined): object {
  return {
    user,
    groups,
    platformAdmin: groups.includes(PLATFORM_ADMIN_GROUP),
    expiresAt: session ? new Date(sessionEndsAt(session)).toISOString() : null,
    method: session?.method ?? 'token',
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrongMethod({ method, response }: Exchange): PlatformError {
  response.setHeader('allow', METHODS.join(', '));
  return new PlatformError('MethodNotAllowed', `${method} means nothing here: want one of ${METHODS.join(', ')}`);
}
