import { errorCode, type ErrorCode } from '@crate/errors';
import { Logger } from '@crate/telemetry';
import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import type { NatsContext } from '@nestjs/microservices';
import { of, type Observable } from 'rxjs';
import type { Envelope } from '../call/envelope.js';
import { PayloadSealer } from '../sealing/payload-sealer.js';
import { sealFailure } from '../sealing/sealed-calls.js';
import { findCall } from './verified-calls.js';

/** Failures that are the platform's, not the caller's. */
const OURS: readonly ErrorCode[] = ['Unavailable', 'Timeout', 'Invariant'];
const REFUSALS: readonly ErrorCode[] = ['Unauthenticated', 'Forbidden'];

/** Answers every failure, also the guard's, as an envelope, and logs it once. */
@Catch()
export class EnvelopeFilter implements RpcExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly sealer: PayloadSealer,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Observable<Envelope> {
    const context = host.switchToRpc().getContext<NatsContext>();
    const subject = context.getSubject();
    const code = errorCode(error);
    if (OURS.includes(code)) this.logger.error('Failing a call', { error, subject });
    else if (REFUSALS.includes(code)) this.logger.warn('Refusing a call', { error, subject });
    else this.logger.debug('Answering a call with an error', { error, subject });
    return of(sealFailure(error, findCall(context)?.caller.service ?? '', context, this.sealer));
  }
}
