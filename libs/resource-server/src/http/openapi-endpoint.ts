import type { ResourceRouter } from '@crate/resource-client';
import type { OpenApiDocuments, Rendered } from '../openapi/open-api-documents.js';
import { type Exchange, parameter } from './exchange.js';
import { parseAccept } from './media-type.js';
import { notAcceptable, pathNotFound } from './protocol-error.js';

const V3 = '/openapi/v3';
const V2 = '/openapi/v2';
const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What clients ask for is spelled with an `@`, which a media type must not have; both are understood. */
const V2_PROTOBUF_TYPES = [V2_PROTOBUF, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];

/** Answers `/openapi/v3` with the documents below, and `/openapi/v2`; false for other paths. */
export function handleOpenApi(exchange: Exchange, router: ResourceRouter, documents: OpenApiDocuments): boolean {
  const { method, path } = exchange;
  if (method !== 'GET') return false;
  const kinds = router.kinds();
  if (path === V2) {
    const type = version2Type(exchange.request.headers.accept);
    send(exchange, documents.version2(kinds, type === JSON_TYPE ? 'json' : 'protobuf'), type);
    return true;
  }
  if (path !== V3 && !path.startsWith(`${V3}/`)) return false;
  const document = path.slice(V3.length + 1);
  const found = document === '' ? documents.index(kinds) : documents.version3(kinds, document);
  if (!found) throw pathNotFound();
  if (!redirected(exchange, found)) send(exchange, found, JSON_TYPE);
  return true;
}

function version2Type(accept: string | undefined): string {
  for (const { type } of parseAccept(accept)) {
    if (V2_PROTOBUF_TYPES.includes(type)) return V2_PROTOBUF;
    if (type === JSON_TYPE || type === 'application/*' || type === '*/*') return JSON_TYPE;
  }
  throw notAcceptable([JSON_TYPE, V2_PROTOBUF]);
}

/** A client that asks for content of another hash is sent to where the present content is. */
function redirected({ query, path, response }: Exchange, { hash }: Rendered): boolean {
  const asked = parameter(query, 'hash');
  if (asked === undefined || asked === hash) return false;
  response.writeHead(301, { location: `${path}?hash=${hash}`, 'content-length': 0 }).end();
  return true;
}

/** Content that its URL names by hash never changes; other content is asked for again, and sent only when it is new. */
function send({ request, response, query }: Exchange, { body, hash }: Rendered, type: string): void {
  const etag = `"${hash}"`;
  const isNamed = parameter(query, 'hash') === hash;
  response.setHeader('etag', etag);
  response.setHeader('vary', 'Accept, Authorization');
  response.setHeader('cache-control', isNamed ? 'public, max-age=31536000, immutable' : 'no-cache, private');
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag)) return void response.writeHead(304).end();
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
}
