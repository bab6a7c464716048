import { notFound, PlatformError } from '@crate/errors';
import type { Exchange, ExtraRoute } from '@crate/resource-server';
import type { ConsoleFiles } from './console-files.js';
import { setPageHeaders } from './content-security-policy.js';

const ROOT = '/console';
const METHODS = ['GET', 'HEAD'];

/** Whether a path is the console's. */
export function isConsolePath(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** The page and its files. Anybody may have them: they tell nothing of what is in the platform. */
export function pageRoute(files: ConsoleFiles): ExtraRoute {
  return {
    isPublic: true,
    matches: (_method, path) => isConsolePath(path),
    handle: async (exchange) => {
      const { method, path, request, response } = exchange;
      if (!METHODS.includes(method)) throw wrongMethod(exchange);
      if (path === ROOT) return void response.writeHead(302, { location: `${ROOT}/`, 'content-length': 0 }).end();
      const file = await files.find(path);
      if (!file) throw notFound('file', path);
      setPageHeaders(response);
      file.send(request, response);
    },
  };
}

/** Where there is no console. */
export function noConsoleRoute(): ExtraRoute {
  return {
    isPublic: true,
    matches: (_method, path) => isConsolePath(path),
    handle: () =>
      Promise.reject(
        new PlatformError('NotFound', 'The console is not installed here; kubectl, crate and /docs are there'),
      ),
  };
}

function wrongMethod({ method, response }: Exchange): PlatformError {
  response.setHeader('allow', METHODS.join(', '));
  return new PlatformError('MethodNotAllowed', `${method} means nothing here: want one of ${METHODS.join(', ')}`);
}
