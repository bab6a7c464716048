import type { OidcIssuerOptions } from '@crate/auth';
import type { Authenticate, Exchange, ExtraRoute } from '@crate/resource-server';
import type { SignInLimits } from '@crate/http-guard';
import type { Foundation } from '@crate/service-host';
import type { ConsoleConfig } from './console-config.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleSessions } from './console-sessions.js';
import { withSessions } from './cookie-authentication.js';
import { Handovers } from './handovers.repository.js';
import { IssuerClient } from './issuer-client.js';
import { OidcSignIn } from './oidc-sign-in.js';
import { noConsoleRoute, pageRoute } from './page-route.js';
import { SealedText } from './sealed-text.js';
import { SessionRenewal } from './session-renewal.js';
import { sessionRoute } from './session-route.js';
import { SignInCodes } from './sign-in-codes.js';
import { SignOuts } from './sign-outs.js';

export interface ConsoleOptions extends ConsoleConfig {
  readonly foundation: Pick<Foundation, 'box' | 'database' | 'logger' | 'metrics'>;
  readonly issuers: readonly OidcIssuerOptions[];
  readonly signIns: SignInLimits;
  /** What knows tokens, within those limits. */
  readonly authenticate: Authenticate;
}

/** What the front door does for the console. */
export interface Console {
  readonly routes: readonly ExtraRoute[];
  /** Takes the session of a browser, too. */
  readonly authenticate: Authenticate;
  readonly isInstalled: boolean;
}

/** Opens the console: its files, sign-ins and sessions. Without a directory there is none, and cookies mean nothing. */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { dir, authenticate, signIns, foundation, sessionMs, url } = options;
  if (dir === undefined) return { routes: [noConsoleRoute()], authenticate, isInstalled: false };
  const { box, database, logger } = foundation;
  const files = await ConsoleFiles.open(dir);
  const sealed = new SealedText(box);
  await sealed.prepare();
  const handovers = new Handovers(database);
  const issuers = issuersByName(options.issuers);
  const sessions = new ConsoleSessions(sealed, new SessionRenewal({ issuers, handovers, sealed, logger }));
  const codes = new SignInCodes(handovers, sealed);
  const signOuts = new SignOuts(sealed);
  const common = {
    issuers,
    sessions,
    signOuts,
    sealed,
    authenticate,
    sessionMs,
    logger,
    onSignIn: signInNote(foundation),
  };
  const oidc = new OidcSignIn({ ...common, url });
  return {
    isInstalled: true,
    authenticate: withSessions(authenticate, sessions),
    routes: [
      sessionRoute({ ...common, codes, signIns }),
      codes.route,
      signOuts.route,
      navigation('/console/login', (exchange) => oidc.begin(exchange)),
      navigation('/console/callback', (exchange) => oidc.end(exchange)),
      pageRoute(files),
    ],
  };
}

/** Those that people may sign in with by themselves. */
function issuersByName(issuers: readonly OidcIssuerOptions[]): ReadonlyMap<string, IssuerClient> {
  const offered = issuers.filter(({ login }) => login !== undefined);
  return new Map(offered.map((issuer) => [issuer.name, new IssuerClient(issuer)]));
}

function navigation(at: string, handle: (exchange: Exchange) => Promise<void>): ExtraRoute {
  return { isPublic: true, matches: (method, path) => method === 'GET' && path === at, handle };
}

/** Who signed in, when and from where, goes to the log; how often, to the metrics. */
function signInNote({ logger, metrics }: Pick<Foundation, 'logger' | 'metrics'>) {
  const total = metrics.counter({
    name: 'crate_console_sign_ins_total',
    help: 'Attempts to sign in to the console, by method and what came of them',
    labels: ['method', 'outcome'],
  });
  return ({ context }: Exchange, method: string, outcome: string, user?: string): void => {
    total.add(1, { method, outcome });
    const { address } = context.origin ?? {};
    const who = user === undefined ? {} : { user };
    logger.info(user === undefined ? 'Refusing a sign-in to the console' : 'Signing in to the console', {
      ...who,
      ...{ method, outcome, address },
    });
  };
}
