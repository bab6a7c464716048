import { randomUUID } from 'node:crypto';
import { SERVICE_TOKEN_REFUSED, subjects, TOKEN_HEADER, type ServiceTokenIssuer } from '@crate/auth';
import { badRequest, forbidden, isPlatformError, PlatformError, timeout, unavailable } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { traceparentFor, withSpan } from '@crate/telemetry';
import {
  headers,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  TimeoutError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/nats-core';
import { ServiceCaller } from '../bus.js';
import { ConnectionLosses } from '../connection/connection-losses.js';
import { untilAborted } from '../until-aborted.js';
import { splitBody } from '../sealing/confidential.js';
import type { PayloadSealer } from '../sealing/payload-sealer.js';
import { openEnvelope, type Envelope, type OpenEnvelope } from './envelope.js';
import { formatOrigin, ORIGIN_HEADER } from './origin.js';
import {
  bodyLimit,
  DEADLINE_HEADER,
  DEFAULT_TIMEOUT_MS,
  REQUEST_ID_HEADER,
  TIMEOUT_HEADER,
  TRACE_HEADER,
  type NestReply,
  type NestRequest,
} from './wire.js';

/** Calls over NATS in the form that Nest's NATS transport reads. `Confidential` members of a body travel sealed. */
export class NatsServiceCaller extends ServiceCaller {
  private readonly losses: ConnectionLosses;

  constructor(
    private readonly connection: NatsConnection,
    private readonly tokens: ServiceTokenIssuer,
    private readonly sealer: PayloadSealer,
  ) {
    super();
    this.losses = new ConnectionLosses(connection);
  }

  // eslint-disable-next-line max-params -- the contract's five parameters
  override async call<T>(
    service: string,
    method: string,
    body: unknown,
    context: CallContext,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<T> {
    const name = `${service}/${method}`;
    const attributes = { 'rpc.system.name': 'nats', 'rpc.method': name };
    return withSpan(name, { kind: 'client', attributes }, () =>
      this.send<T>(service, method, body, context, timeoutMs),
    );
  }

  // eslint-disable-next-line max-params -- as above
  private async send<T>(
    service: string,
    method: string,
    body: unknown,
    context: CallContext,
    timeoutMs: number,
  ): Promise<T> {
    const subject = subjects.method(service, method);
    const id = randomUUID();
    const request: NestRequest = { pattern: subject, data: this.sealed(body, service, subject, id), id };
    const payload = this.fitting(JSON.stringify(request), service);
    const options = { timeout: timeoutMs, headers: this.headers(service, context, timeoutMs, id) };

    // With the connection the answer may be lost: a server that was started anew does not know whom it lets answer what.
    const lost = this.losses.next;
    let envelope: Envelope;
    try {
      const reply = untilAborted(this.connection.request(subject, payload, options), lost);
      const message = await (context.signal ? untilAborted(reply, context.signal) : reply);
      envelope = envelopeOf(message);
    } catch (error) {
      if (error === lost.reason) throw cutOff(service, error);
      throw context.signal?.aborted ? tooLate(service, error) : translate(error, service);
    }
    try {
      return openEnvelope(this.opened(envelope, service, subject, id)) as T;
    } catch (error) {
      throw isTokenRefused(error) ? tokenRefused(service, error) : error;
    }
  }

  private sealed(body: unknown, recipient: string, subject: string, requestId: string): unknown {
    const { open, secret } = splitBody(body);
    if (!secret) return body;
    const sealed = this.sealer.seal(secret, { direction: 'request', subject, recipient, requestId });
    return { ...(open as object), sealed };
  }

  private opened(envelope: Envelope, sender: string, subject: string, requestId: string): OpenEnvelope {
    if (!('sealed' in envelope)) return envelope;
    const binding = { direction: 'answer', subject, sender, requestId } as const;
    return this.sealer.open(envelope.sealed, binding) as OpenEnvelope;
  }

  private headers(service: string, context: CallContext, timeoutMs: number, id: string): MsgHdrs {
    const result = headers();
    result.set(REQUEST_ID_HEADER, id);
    result.set(TOKEN_HEADER, this.tokens.issue(service, context.caller));
    result.set(TRACE_HEADER, traceparentFor(context.traceId));
    result.set(TIMEOUT_HEADER, String(timeoutMs));
    result.set(DEADLINE_HEADER, String(Date.now() + timeoutMs));
    const origin = formatOrigin(context.origin);
    if (origin !== undefined) result.set(ORIGIN_HEADER, origin);
    return result;
  }

  /** The server would close the connection on a message above its limit. */
  private fitting(text: string, service: string): Uint8Array {
    const payload = Buffer.from(text);
    const limit = bodyLimit(this.connection.info?.max_payload);
    if (payload.byteLength <= limit) return payload;
    throw badRequest(`The request has ${payload.byteLength} bytes on its way to ${service}, ${limit} are allowed`);
  }
}

function envelopeOf(message: Msg): Envelope {
  const { response, err } = message.json<NestReply>();
  if (response === undefined) throw unavailable('The service answered without a result', err);
  return response as Envelope;
}

/** Messages reach people, who know services but no subjects. */
function translate(error: unknown, service: string): Error {
  if (isPlatformError(error)) return error;
  const cause = error instanceof RequestError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof NoRespondersError) return unavailable(`${service} is not available, try again`, error);
  if (cause instanceof TimeoutError) return tooLate(service, error);
  if (cause instanceof PermissionViolationError) return forbidden(`Not allowed to call ${service}`);
  return unavailable(`Cannot reach ${service}, try again`, error);
}

function isTokenRefused(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === SERVICE_TOKEN_REFUSED;
}

/**
 * Nobody's credentials are wrong: clocks or keys of two services disagree, and soon may not any more. Whoever asked is
 * neither told to sign in again, nor left waiting as long as for credentials that somebody has to replace.
 */
function tokenRefused(service: string, cause: unknown): Error {
  return new PlatformError('Unavailable', `${service} does not take the token of this service, try again`, {
    cause,
    details: {
      reason: SERVICE_TOKEN_REFUSED,
      remedy: 'Compare the clocks of the computers that services run on, and the keys they trust',
    },
  });
}

function cutOff(service: string, cause: unknown): Error {
  const what = `The connection to NATS was lost before ${service} answered`;
  return timeout(`${what}; what it was asked to do may have been done`, cause);
}

function tooLate(service: string, cause: unknown): Error {
  return timeout(`${service} did not answer in time; what it was asked to do may have been done`, cause);
}
