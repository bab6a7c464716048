import type { IncomingMessage } from 'node:http';
import { openEnvelope, PROTOBUF } from '../protobuf/envelope.js';
import type { ProtobufMessage } from '../protobuf/protobuf-message.js';
import { contentType, OPTIONS_LIMIT_BYTES, parseDocument, readBody } from './request-body.js';

const known = new WeakMap<IncomingMessage, Promise<unknown>>();

/** The DeleteOptions a client sent, as JSON, YAML or protobuf; undefined without a body. A body comes once, and may be asked for again. */
export function readDeleteOptions(request: IncomingMessage): Promise<unknown> {
  const options = known.get(request) ?? read(request);
  known.set(request, options);
  return options;
}

async function read(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, OPTIONS_LIMIT_BYTES);
  if (body.length === 0) return undefined;
  const type = contentType(request);
  return type === PROTOBUF ? fromProtobuf(openEnvelope(body).message) : parseDocument(body, type);
}

/** Source: https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/generated.proto (DeleteOptions) */
function fromProtobuf(message: ProtobufMessage): unknown {
  const preconditions = message.message(2);
  return {
    ...(message.has(2)
      ? { preconditions: { ...text(preconditions, 1, 'uid'), ...text(preconditions, 2, 'resourceVersion') } }
      : {}),
    ...(message.has(3) ? { orphanDependents: message.boolean(3) } : {}),
    ...text(message, 4, 'propagationPolicy'),
    ...(message.has(5) ? { dryRun: message.texts(5) } : {}),
  };
}

function text(message: ProtobufMessage, field: number, name: string): Record<string, string> {
  return message.has(field) ? { [name]: message.text(field) } : {};
}
