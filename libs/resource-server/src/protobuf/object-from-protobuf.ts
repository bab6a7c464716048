import type { JsonObject } from '@crate/api';
import { MESSAGES } from './core-messages.js';
import { openEnvelope } from './envelope.js';
import { messageToJson } from './to-json.js';

/** An object of one of Kubernetes' own kinds; undefined for kinds that are not read from protobuf. */
export function objectFromProtobuf(body: Buffer): JsonObject | undefined {
  const { apiVersion, kind, message } = openEnvelope(body);
  const schema = MESSAGES[`${apiVersion}/${kind}`];
  return schema && { apiVersion, kind, ...messageToJson(message, schema) };
}
