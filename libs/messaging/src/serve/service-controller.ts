import { subjects } from '@crate/auth';
import { invariant } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { newTraceId, parseTraceparent, runWithContext } from '@crate/telemetry';
import { Controller, UseFilters, UseGuards, type DynamicModule, type Type } from '@nestjs/common';
import { Ctx, MessagePattern, NatsContext, Payload } from '@nestjs/microservices';
import type { Envelope } from '../call/envelope.js';
import { ORIGIN_HEADER, parseOrigin } from '../call/origin.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_HEADER, TRACE_HEADER } from '../call/wire.js';
import { PayloadSealer } from '../sealing/payload-sealer.js';
import { openBody, sealAnswer } from '../sealing/sealed-calls.js';
import { EnvelopeFilter } from './envelope.filter.js';
import { ServiceTokenGuard } from './service-token.guard.js';
import { findCall, headerOf, type AdmittedCall } from './verified-calls.js';

/** No caller may keep a handler busy for longer. */
const LONGEST_TIMEOUT_MS = 120_000;

/** Nest module that answers `crate.<service>.>`; `ServiceMethods`, `ServiceTokenVerifier`, `PayloadSealer` and `Logger` come from a global module. */
export class NatsServiceModule {
  static forService(service: string): DynamicModule {
    return {
      module: NatsServiceModule,
      controllers: [serviceController(service)],
      providers: [ServiceTokenGuard, EnvelopeFilter],
    };
  }
}

/** The handler class of one service: Nest patterns are fixed per class, so each service gets its own. */
function serviceController(service: string): Type {
  @Controller()
  @UseGuards(ServiceTokenGuard)
  @UseFilters(EnvelopeFilter)
  class ServiceController {
    constructor(private readonly sealer: PayloadSealer) {}

    @MessagePattern(subjects.methods(service))
    async handle(@Payload() received: unknown, @Ctx() context: NatsContext): Promise<Envelope> {
      const call = findCall(context);
      if (!call) throw invariant('A call came past its guard');
      const callContext = contextOf(call, context);
      const caller = call.caller.service ?? '';
      const body = openBody(received, caller, context, this.sealer);
      const value = await runWithContext({ traceId: callContext.traceId }, () => call.method.handle(body, callContext));
      return sealAnswer(value, caller, context, this.sealer);
    }
  }
  return ServiceController;
}

function contextOf(call: AdmittedCall, context: NatsContext): CallContext {
  const traceId = parseTraceparent(headerOf(context, TRACE_HEADER))?.traceId ?? newTraceId();
  const origin = parseOrigin(headerOf(context, ORIGIN_HEADER));
  const signal = AbortSignal.timeout(timeoutOf(context));
  return { caller: call.caller, traceId, signal, ...(origin ? { origin } : {}) };
}

function timeoutOf(context: NatsContext): number {
  const asked = Number(headerOf(context, TIMEOUT_HEADER));
  return asked > 0 ? Math.min(asked, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}
