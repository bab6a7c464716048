import type { ResourceRouter } from '@crate/resource-client';
import { openApiDocument, openApiIndex } from '../openapi/document.js';
import type { Exchange } from './exchange.js';
import { pathNotFound } from './protocol-error.js';

const V3 = '/openapi/v3';
const V2 = '/openapi/v2';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Answers `/openapi/v3` with the documents below, and `/openapi/v2`; false for other paths. */
export function handleOpenApi(exchange: Exchange, router: ResourceRouter, version: string): boolean {
  const { method, path, respond } = exchange;
  if (method !== 'GET') return false;
  if (path === V2) {
    sendVersion2(exchange, version);
    return true;
  }
  if (path !== V3 && !path.startsWith(`${V3}/`)) return false;
  const document = path.slice(V3.length + 1);
  const body = document === '' ? openApiIndex(router.kinds()) : openApiDocument(router.kinds(), document, version);
  if (body === undefined) throw pathNotFound();
  respond.object(200, body);
  return true;
}

/**
 * A document without content: kubectl up to 1.28 gives up when there is none at all, and validates nothing itself when
 * a kind is not in it. In protobuf the empty document is no bytes.
 */
function sendVersion2({ request, respond }: Exchange, version: string): void {
  if (/proto-openapi/.test(request.headers.accept ?? '')) return respond.text(200, '', V2_PROTOBUF);
  const info = { title: 'Kubernetes', version };
  return respond.object(200, { swagger: '2.0', info, paths: {}, definitions: {} });
}
