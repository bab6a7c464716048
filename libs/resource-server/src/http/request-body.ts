import { isJsonObject } from '@crate/api';
import { isUtf8 } from 'node:buffer';
import { badRequest } from '@crate/errors';
import type { IncomingMessage } from 'node:http';
import { PROTOBUF } from '../protobuf/envelope.js';
import { objectFromProtobuf } from '../protobuf/object-from-protobuf.js';
import { documentFormatOf, SEND_A_DOCUMENT } from './document-type.js';
import { parseMediaType } from './media-type.js';
import { parseJson, parseYaml, type OnDuplicates } from './parse-text.js';
import { bodyTooLarge, unsupportedMediaType } from './protocol-error.js';

/** As large as the API server of Kubernetes takes. */
export const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Of bodies that say how to do something, such as a review or the options of a delete. */
export const OPTIONS_LIMIT_BYTES = 64 * 1024;

const DOCUMENT_TYPES = ['application/json', 'application/yaml'];

/** The whole body; throws 413 as soon as it is larger than the limit. */
export async function readBody(request: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge(limitBytes);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw bodyTooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The media type of the body without parameters; empty when the client does not say. */
export function contentType(request: IncomingMessage): string {
  return parseMediaType(request.headers['content-type'] ?? '').type;
}

/**
 * A JSON or YAML body, or one of Kubernetes' own kinds as protobuf; undefined when it is empty.
 * Throws 415 for another media type, BadRequest for bad syntax.
 */
export async function readDocument(request: IncomingMessage, onDuplicates?: OnDuplicates): Promise<unknown> {
  const type = contentType(request);
  if (documentFormatOf(type)) return parseDocument(await readBody(request), type, onDuplicates);
  const object = type === PROTOBUF ? objectFromProtobuf(await readBody(request)) : undefined;
  if (object === undefined) throw unsupportedMediaType(DOCUMENT_TYPES);
  return object;
}

/**
 * Parses text as its media type says: YAML, or JSON, or either of them where a client such as curl says nothing that can be relied on.
 * Undefined when it is empty; throws BadRequest for bad syntax, and 415 when what was said nothing of is neither.
 */
export function parseDocument(body: Buffer, type: string, onDuplicates?: OnDuplicates): unknown {
  if (!isUtf8(body)) throw badRequest('the request body is not valid UTF-8');
  const text = body.toString('utf8');
  if (text.trim() === '') return undefined;
  if (documentFormatOf(type) === 'either') return parseEither(text, onDuplicates);
  return type.includes('yaml') ? parseYaml(text, onDuplicates) : parseJson(text, onDuplicates);
}

/** JSON is read as JSON, so that its mistakes are told in its words; a form is neither. */
function parseEither(text: string, onDuplicates?: OnDuplicates): unknown {
  if (/^\s*[{[]/.test(text)) return parseJson(text, onDuplicates);
  try {
    const document = parseYaml(text, onDuplicates);
    if (isJsonObject(document)) return document;
  } catch {
    // Told below: what to send helps more than what YAML makes of a flattened file.
  }
  throw unsupportedMediaType(DOCUMENT_TYPES, SEND_A_DOCUMENT);
}
