import { asyncApiDocument } from '@crate/messaging';
import type { ExtraRoute } from '@crate/resource-server';
import { stringify } from 'yaml';
import { StaticFile } from './static-file.js';

const PATHS = ['/asyncapi', '/asyncapi.json', '/asyncapi.yaml'];

/** How the services talk to each other; for anybody, as the reference is. JSON for who asks for it, else YAML. */
export function asyncApiRoute(version: string): ExtraRoute {
  const document = asyncApiDocument(version);
  const json = new StaticFile(Buffer.from(`${JSON.stringify(document)}\n`), 'application/json');
  const yaml = new StaticFile(Buffer.from(stringify(document, { aliasDuplicateObjects: false })), 'application/yaml');
  // Browsers show text and save what they do not know.
  const text = new StaticFile(
    Buffer.from(stringify(document, { aliasDuplicateObjects: false })),
    'text/plain; charset=utf-8',
  );
  return {
    isPublic: true,
    matches: (method, path) => (method === 'GET' || method === 'HEAD') && PATHS.includes(path),
    handle: ({ path, request, response }) => {
      const accept = request.headers.accept ?? '';
      const isJson = path.endsWith('.json') || (path === '/asyncapi' && accept.includes('json'));
      const readable = accept.includes('text/html') ? text : yaml;
      (isJson ? json : readable).send(request, response);
      return Promise.resolve();
    },
  };
}
