import type { VerifiedCall } from '@crate/auth';
import type { MsgHdrs } from '@nats-io/nats-core';
import type { NatsContext } from '@nestjs/microservices';
import type { ServiceMethod } from './service-methods.js';

/** A request that the guard let through. */
export interface AdmittedCall extends VerifiedCall {
  readonly method: ServiceMethod;
}

const admitted = new WeakMap<NatsContext, AdmittedCall>();

/** Hands what the guard found out to the handler of the same message. */
export function rememberCall(context: NatsContext, call: AdmittedCall): void {
  admitted.set(context, call);
}

/** Undefined when no guard admitted the message. */
export function findCall(context: NatsContext): AdmittedCall | undefined {
  return admitted.get(context);
}

/** A header of the message, or undefined. */
export function headerOf(context: NatsContext, name: string): string | undefined {
  const headers = context.getHeaders() as MsgHdrs | undefined;
  return headers?.has(name) ? headers.get(name) : undefined;
}
