import { badRequest, isPlatformError, notFound, toStatus } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import fastify, { type FastifyInstance } from 'fastify';

const LOOPBACK = '127.0.0.1';

/** Adds routes to the control API before it listens. */
export type RegisterRoutes = (app: FastifyInstance) => void;

/** The control API while it listens. */
export interface ControlApi {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the sandbox's control API on loopback only: it has no users and needs no password. */
export async function startControlApi(options: {
  readonly port: number;
  readonly logger: Logger;
  readonly routes: readonly RegisterRoutes[];
}): Promise<ControlApi> {
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.setErrorHandler((thrown, request, reply) => {
    const error = isRefusal(thrown) ? badRequest(thrown.message) : thrown;
    if (!isPlatformError(error)) options.logger.error('Request failed', { error, url: request.url });
    const status = toStatus(error);
    return reply.code(status.code).send(status);
  });
  app.setNotFoundHandler((request, reply) => {
    const status = toStatus(notFound('path', request.url));
    return reply.code(status.code).send(status);
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  for (const register of options.routes) register(app);
  const url = await app.listen({ port: options.port, host: LOOPBACK });
  return { url, close: () => app.close() };
}

/** What the framework itself refuses: a body that is no JSON, or too long. */
function isRefusal(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error) || isPlatformError(thrown)) return false;
  const { statusCode } = thrown as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode < 500;
}
