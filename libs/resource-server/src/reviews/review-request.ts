import { isJsonObject, type JsonObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { IncomingMessage } from 'node:http';
import { openEnvelope, PROTOBUF } from '../protobuf/envelope.js';
import type { ProtobufMessage } from '../protobuf/protobuf-message.js';
import { contentType, OPTIONS_LIMIT_BYTES, parseDocument, readBody } from '../http/request-body.js';

/** The `spec` of a review, from JSON or from protobuf, which kubectl 1.32 and later send. */
export async function readReviewSpec(request: IncomingMessage): Promise<JsonObject> {
  const body = await readBody(request, OPTIONS_LIMIT_BYTES);
  const type = contentType(request);
  if (type === PROTOBUF) return specFromProtobuf(body);
  const document = parseDocument(body, type);
  if (!isJsonObject(document)) throw badRequest('the request body must be a review');
  return isJsonObject(document.spec) ? document.spec : {};
}

/** Source: https://github.com/kubernetes/api/blob/master/authorization/v1/generated.proto */
function specFromProtobuf(body: Buffer): JsonObject {
  const { kind, message } = openEnvelope(body);
  const spec = message.message(2);
  if (kind === 'SelfSubjectRulesReview') return { namespace: spec.text(1) };
  if (kind !== 'SelfSubjectAccessReview') return {};
  return {
    ...(spec.has(1) ? { resourceAttributes: resourceAttributes(spec.message(1)) } : {}),
    ...(spec.has(2) ? { nonResourceAttributes: nonResourceAttributes(spec.message(2)) } : {}),
  };
}

function resourceAttributes(message: ProtobufMessage): JsonObject {
  const names = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];
  return Object.fromEntries(names.map((name, index) => [name, message.text(index + 1)]));
}

function nonResourceAttributes(message: ProtobufMessage): JsonObject {
  return { path: message.text(1), verb: message.text(2) };
}
