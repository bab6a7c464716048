import type { ResourceRouter } from '@crate/resource-client';
import { openApiDocument, openApiIndex } from '../openapi/document.js';
import type { Exchange } from './exchange.js';
import { pathNotFound } from './protocol-error.js';

const ROOT = '/openapi/v3';

/** Answers `/openapi/v3` and the documents below; false for other paths. `/openapi/v2` is not served. */
export function handleOpenApi(exchange: Exchange, router: ResourceRouter, version: string): boolean {
  const { method, path, respond } = exchange;
  if (method !== 'GET' || (path !== ROOT && !path.startsWith(`${ROOT}/`))) return false;
  const document = path.slice(ROOT.length + 1);
  const body = document === '' ? openApiIndex(router.kinds()) : openApiDocument(router.kinds(), document, version);
  if (body === undefined) throw pathNotFound();
  respond.object(200, body);
  return true;
}
