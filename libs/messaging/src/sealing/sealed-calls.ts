import { badRequest } from '@crate/errors';
import type { MsgHdrs } from '@nats-io/nats-core';
import type { NatsContext } from '@nestjs/microservices';
import { failureEnvelope, type Envelope } from '../call/envelope.js';
import { REQUEST_ID_HEADER } from '../call/wire.js';
import { Confidential } from './confidential.js';
import type { PayloadSealer } from './payload-sealer.js';

/** Bodies of which a part came sealed. */
const sealedBodies = new WeakSet<object>();
/** Requests that were sealed: their answers are, whatever they are. */
const sealedRequests = new WeakSet<NatsContext>();

/** True for the body of a request whose secrets nobody could read on the way. */
export function wasSealed(body: unknown): boolean {
  return typeof body === 'object' && body !== null && sealedBodies.has(body);
}

/** Opens what a caller sealed; throws as `PayloadSealer.open`. A body without sealed parts is given back as it is. */
export function openBody(body: unknown, sender: string, context: NatsContext, sealer: PayloadSealer): unknown {
  if (typeof body !== 'object' || body === null || !('sealed' in body)) return body;
  const { sealed, ...rest } = body as Readonly<Record<string, unknown>>;
  if (typeof sealed !== 'string') throw badRequest('Malformed request: sealed must be a text');
  sealedRequests.add(context);
  const binding = { direction: 'request', subject: context.getSubject(), sender, requestId: idOf(context) } as const;
  const secret = sealer.open(sealed, binding) as Readonly<Record<string, unknown>>;
  const whole = { ...rest, ...secret };
  sealedBodies.add(whole);
  return whole;
}

/** The answer to a call: sealed when it is a secret, or when the request held one. */
export function sealAnswer(value: unknown, caller: string, context: NatsContext, sealer: PayloadSealer): Envelope {
  if (value instanceof Confidential) return sealed({ ok: true, value: value.reveal() }, caller, context, sealer);
  if (sealedRequests.has(context)) return sealed({ ok: true, value }, caller, context, sealer);
  return { ok: true, value };
}

/** A failure may quote what was asked, so that of a sealed request is sealed too. */
export function sealFailure(error: unknown, caller: string, context: NatsContext, sealer: PayloadSealer): Envelope {
  const failure = failureEnvelope(error);
  if (!sealedRequests.has(context)) return failure;
  try {
    return sealed(failure, caller, context, sealer);
  } catch (cause) {
    return failureEnvelope(cause);
  }
}

function sealed(envelope: Envelope, recipient: string, context: NatsContext, sealer: PayloadSealer): Envelope {
  const binding = { direction: 'answer', subject: context.getSubject(), recipient, requestId: idOf(context) } as const;
  return { sealed: sealer.seal(envelope, binding) };
}

function idOf(context: NatsContext): string {
  const headers = context.getHeaders() as MsgHdrs | undefined;
  return headers?.get(REQUEST_ID_HEADER) ?? '';
}
