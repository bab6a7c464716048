import { ServiceTokenVerifier, TOKEN_HEADER } from '@crate/auth';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { NatsContext } from '@nestjs/microservices';
import { ServiceMethods } from './service-methods.js';
import { headerOf, rememberCall } from './verified-calls.js';

/** Lets a message through only when its token grants the scope that the method asks for. */
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
    return true;
  }
}

/** `crate.<service>.<method>`; a method name may have dots. */
function methodName(subject: string): string {
  return subject.split('.').slice(2).join('.');
}
