import { ServiceTokenVerifier, TOKEN_HEADER } from '@crate/auth';
import { PlatformError } from '@crate/errors';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { NatsContext } from '@nestjs/microservices';
import { CALL_TOO_LATE, DEADLINE_HEADER, LATE_CALL_MS } from '../call/wire.js';
import { ServiceMethods } from './service-methods.js';
import { headerOf, rememberCall } from './verified-calls.js';

/** Lets a message through only when its token grants the scope that the method asks for, and not long after nobody waits for the answer any more. */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  constructor(
    private readonly verifier: ServiceTokenVerifier,
    private readonly methods: ServiceMethods,
  ) {}

  canActivate(execution: ExecutionContext): boolean {
    const rpc = execution.switchToRpc();
    const context = rpc.getContext<NatsContext>();
    const method = this.methods.get(methodName(context.getSubject()));
    const scope = typeof method.scope === 'function' ? method.scope(rpc.getData()) : method.scope;
    const call = this.verifier.verify(headerOf(context, TOKEN_HEADER), scope);
    rememberCall(context, { ...call, method });
    refuseTooLate(context);
    return true;
  }
}

/** `crate.<service>.<method>`; a method name may have dots. */
function methodName(subject: string): string {
  return subject.split('.').slice(2).join('.');
}

/**
 * A replica that stood still finds calls that were given up meanwhile, and done by another one: carried out now, an old write would go over
 * newer ones, and a deletion would hit whatever has the name by now.
 */
function refuseTooLate(context: NatsContext): void {
  const deadline = Number(headerOf(context, DEADLINE_HEADER) ?? Infinity);
  if (!(Date.now() > deadline + LATE_CALL_MS)) return;
  throw new PlatformError('Unavailable', 'The call came when nobody waited for it any more, and was not begun', {
    details: {
      reason: CALL_TOO_LATE,
      remedy: 'Try again; if it stays, compare the clocks of the computers that services run on',
    },
  });
}
