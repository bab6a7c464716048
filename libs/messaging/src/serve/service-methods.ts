import type { Scope } from '@crate/auth';
import { notFound } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';

/** A method that other services may call. */
export interface ServiceMethod {
  /** What the caller's token must grant; a function where it depends on the request. */
  readonly scope: Scope | ((body: unknown) => Scope);
  /** `context.signal` aborts when the caller has stopped waiting. */
  readonly handle: (body: unknown, context: CallContext) => Promise<unknown>;
}

/** The methods of one service by name; the injection token of the NATS handler. */
export class ServiceMethods {
  private readonly methods: ReadonlyMap<string, ServiceMethod>;

  constructor(methods: Readonly<Record<string, ServiceMethod>>) {
    this.methods = new Map(Object.entries(methods));
  }

  /** What each takes to be called, by name; `by request` where that depends on what is asked. */
  scopes(): Readonly<Record<string, string>> {
    const said = [...this.methods].map(([name, { scope }]) => [name, typeof scope === 'string' ? scope : 'by request']);
    return Object.fromEntries(said) as Record<string, string>;
  }

  /** Throws NotFound. */
  get(name: string): ServiceMethod {
    const method = this.methods.get(name);
    if (!method) throw notFound('Method', name);
    return method;
  }
}
