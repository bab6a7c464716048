import { FLEET_PATH } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { flag, standingAccess, type Authenticate, type Exchange, type ExtraRoute } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';
import type { FleetAccess } from './fleet-access.js';
import type { FleetIndex } from './fleet-index.js';
import { fleetPage } from './fleet-page.js';
import { FleetPages } from './fleet-pages.js';
import { parseFleetQuery, watchTimeoutOf, type FleetQuery } from './fleet-query.js';
import { streamFleet } from './fleet-stream.js';

export interface FleetRouteOptions {
  readonly index: FleetIndex;
  readonly access: FleetAccess;
  /** Asked again while a watch goes on. */
  readonly authenticate: Authenticate;
  /** Aborted once nothing may be answered any more but its reason. */
  readonly moved: AbortSignal;
  readonly logger: Logger;
  /** How often; default 5,000. */
  readonly lookAgainMs?: number;
}

/** All clusters that somebody may see, as a page out of memory, or as pages for as long as somebody looks. */
export function fleetRoute(options: FleetRouteOptions): ExtraRoute {
  const pages = new FleetPages(options.index);
  return {
    matches: (_method, path) => path === FLEET_PATH,
    isWatch,
    handle: async (exchange) => {
      if (exchange.method !== 'GET') throw wrongMethod(exchange);
      options.moved.throwIfAborted();
      const query = parseFleetQuery(exchange.query);
      if (isWatch(exchange.query)) return watch(exchange, query, pages, options);
      const { index, access } = options;
      const visible = await access.visibleTo(exchange.context.caller, 'list');
      index.requireKnown();
      exchange.respond.object(200, fleetPage(index, query, visible));
    },
  };
}

/** Whoever loses the right to see it, or whose credentials end, sees no more; nor does anybody once the installation has moved. */
async function watch(
  { request, response, context, query: parameters }: Exchange,
  query: FleetQuery,
  pages: FleetPages,
  { index, access, authenticate, moved, logger, lookAgainMs }: FleetRouteOptions,
): Promise<void> {
  let { caller } = context;
  const standing = standingAccess(async () => {
    caller = await authenticate(request, response);
    await access.visibleTo(caller, 'watch');
  }, lookAgainMs);
  const timeoutMs = watchTimeoutOf(parameters);
  const timeouts = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const ends = [context.signal, standing.signal, moved, ...timeouts];
  const onError = (error: unknown): void => logger.info('Ending a watch of the fleet', { error });
  const visible = (): ReturnType<FleetAccess['visibleTo']> => access.visibleTo(caller, 'watch');
  try {
    await streamFleet({ response, signal: AbortSignal.any(ends), index, pages, query, visible, onError });
  } finally {
    standing.stop();
  }
}

function isWatch(parameters: URLSearchParams): boolean {
  return flag(parameters, 'watch');
}

function wrongMethod({ method, response }: Exchange): PlatformError {
  response.setHeader('allow', 'GET');
  return new PlatformError(
    'MethodNotAllowed',
    `${method} is not offered: the fleet is read, and changed cluster by cluster`,
  );
}
