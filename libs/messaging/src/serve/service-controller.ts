import { subjects } from '@crate/auth';
import { invariant } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { NullTracer, parseTraceparent, runInSpan, Tracer, type Span } from '@crate/telemetry';
import { Controller, Optional, UseFilters, UseGuards, type DynamicModule, type Type } from '@nestjs/common';
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
export const LONGEST_TIMEOUT_MS = 120_000;

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
    constructor(
      private readonly sealer: PayloadSealer,
      @Optional() private readonly tracer: Tracer = new NullTracer(),
    ) {}

    @MessagePattern(subjects.methods(service))
    async handle(@Payload() received: unknown, @Ctx() context: NatsContext): Promise<Envelope> {
      const call = findCall(context);
      if (!call) throw invariant('A call came past its guard');
      const span = beginSpan(this.tracer, call, context);
      try {
        return await runInSpan(span, {}, () => this.answer(received, call, context, span));
      } catch (error) {
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    }

    private async answer(received: unknown, call: AdmittedCall, context: NatsContext, span: Span): Promise<Envelope> {
      const caller = call.caller.service ?? '';
      const body = openBody(received, caller, context, this.sealer);
      const value = await call.method.handle(body, contextOf(call, context, span));
      return sealAnswer(value, caller, context, this.sealer);
    }
  }
  return ServiceController;
}

/** Named as its caller names it: `cloud-mgmt/update`. */
function beginSpan(tracer: Tracer, { caller }: AdmittedCall, context: NatsContext): Span {
  const [, service = '', ...method] = context.getSubject().split('.');
  const name = `${service}/${method.join('.')}`;
  const attributes = { 'rpc.system.name': 'nats', 'rpc.method': name, 'crate.caller.service': caller.service };
  const parent = parseTraceparent(headerOf(context, TRACE_HEADER));
  return tracer.begin(name, { kind: 'server', parent, attributes });
}

function contextOf(call: AdmittedCall, context: NatsContext, { place: { traceId } }: Span): CallContext {
  const origin = parseOrigin(headerOf(context, ORIGIN_HEADER));
  const signal = AbortSignal.timeout(timeoutOf(context));
  return { caller: call.caller, traceId, signal, ...(origin ? { origin } : {}) };
}

function timeoutOf(context: NatsContext): number {
  const asked = Number(headerOf(context, TIMEOUT_HEADER));
  return asked > 0 ? Math.min(asked, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
}
