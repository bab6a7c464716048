import type { ResourceRouter } from '@crate/resource-client';
import type { Exchange, ExtraRoute, OpenApiDocuments } from '@crate/resource-server';
import { notFound } from '@crate/errors';
import { DocsFiles } from './docs-files.js';
import { StaticFile } from './static-file.js';

const ROOT = '/docs';
const DOCUMENT = `${ROOT}/openapi.json`;

/**
 * Scripts and styles come from this server and nowhere else, and nothing inline runs. The renderer sets a few style attributes,
 * and draws its icons from data URLs.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface DocsRouteOptions {
  /** Whose kinds are shown. */
  readonly kinds: Pick<ResourceRouter, 'kinds'>;
  readonly documents: OpenApiDocuments;
}

/**
 * The reference of the API as a page. Anybody may read it: it tells what the product can do, and nothing of what is in it,
 * and a browser has no token to send before the page is there.
 */
export function docsRoute({ kinds, documents }: DocsRouteOptions): ExtraRoute {
  const files = new DocsFiles();
  const document = new LatestFile();
  return {
    isPublic: true,
    matches: (method, path) =>
      (method === 'GET' || method === 'HEAD') && (path === ROOT || path.startsWith(`${ROOT}/`)),
    handle: async ({ path, request, response }: Exchange) => {
      response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
      response.setHeader('referrer-policy', 'no-referrer');
      const known = path === DOCUMENT ? document.of(documents.whole(kinds.kinds()).body) : undefined;
      const file = known ?? (await files.find(path === `${ROOT}/` ? ROOT : path));
      if (!file) throw notFound('page', path);
      file.send(request, response);
    },
  };
}

/** Compresses a document anew only when it is another one. */
class LatestFile {
  private source: Buffer | undefined;
  private file: StaticFile | undefined;

  of(body: Buffer): StaticFile {
    if (this.source !== body || !this.file) {
      this.source = body;
      this.file = new StaticFile(body, 'application/json');
    }
    return this.file;
  }
}
