import type { ExtraRoute } from '@crate/resource-server';

const GREETING = `Crate: Kubernetes as a product. This is its API; kubectl speaks it, and so does curl.

  /console/        the page of the operators, where it is installed
  /docs            the reference, for browsers
  /apis            what is served; as kubectl api-resources shows it
  /openapi/v3      the same for programs; /docs/openapi.json in one document
  /asyncapi        how the services talk to each other
  /version         of the API
  /readyz          whether it answers
  /platform/status how its services are
  /platform/upgrade what an upgrade of them would lead to
  /fleet/clusters  clusters of all Projects, what needs a person first
  /audit/events    the audit log as JSON lines; /audit/verify checks it

With a token:
  curl -H "Authorization: Bearer $TOKEN" <this address>/apis/lifecycle.crate.dev/v1alpha1/clusters
`;

/** As programs are told; what is here and no page is in the document, too. */
export const INDEX_PATHS = [
  '/.well-known/crate-login',
  '/apis',
  '/asyncapi',
  '/audit/events',
  '/audit/verify',
  '/console/',
  '/docs',
  '/docs/openapi.json',
  '/fleet/clusters',
  '/healthz',
  '/livez',
  '/openapi/v2',
  '/openapi/v3',
  '/platform/status',
  '/platform/upgrade',
  '/readyz',
  '/version',
];

/** What is where: `page` for browsers, a list for programs, a few lines for people at a terminal. */
export function indexRoute(page = '/docs'): ExtraRoute {
  return {
    isPublic: true,
    matches: (method, path) => method === 'GET' && path === '/',
    handle: ({ request, response, respond }) => {
      const accept = request.headers.accept ?? '*/*';
      response.setHeader('vary', 'Accept');
      if (accept.includes('text/html')) response.writeHead(302, { location: page, 'content-length': 0 }).end();
      else if (/application\/(json|yaml)/.test(accept)) respond.object(200, { paths: INDEX_PATHS });
      else respond.text(200, GREETING, 'text/plain; charset=utf-8');
      return Promise.resolve();
    },
  };
}
