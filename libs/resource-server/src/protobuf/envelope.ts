import { badRequest } from '@crate/errors';
import { ProtobufMessage } from './protobuf-message.js';

/** Kubernetes' envelope begins with these four bytes. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** The media type under which clients send the envelope. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A message and what it is, as Kubernetes clients send it. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: ProtobufMessage;
}

/** Throws BadRequest for what is not an envelope. */
export function openEnvelope(body: Buffer): Envelope {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw badRequest('the body is not a Kubernetes protobuf envelope');
  const envelope = ProtobufMessage.parse(body.subarray(MAGIC.length));
  const type = envelope.message(1);
  return { apiVersion: type.text(1), kind: type.text(2), message: envelope.message(2) };
}
