import { invariant } from '@crate/errors';
import { CALL_MATRIX, FURTHER_GROUPS, GRANTED_SCOPES, SERVICE_GROUPS, SERVICES, type Scope } from './call-matrix.js';

/** What the platform must know of a service to trust it. */
export interface ServiceRegistration {
  readonly name: string;
  /** API groups it alone may announce kinds in. */
  readonly groups: readonly string[];
  /** Services that may call it, and what each may do. */
  readonly callers: Readonly<Record<string, readonly Scope[]>>;
}

/** A service name is also a NATS subject token, a database schema and a file name. */
const SERVICE_NAME = /^[a-z][a-z0-9-]{0,40}$/;

/**
 * Who exists, who may call whom, and who owns which API group: the built-in services plus those a deployment adds.
 * A built-in service's own callers and groups cannot be changed by configuration, only extended by new names.
 */
export class ServiceRegistry {
  private readonly services = new Map<string, ServiceRegistration>();

  constructor(further: readonly ServiceRegistration[] = []) {
    for (const service of [...builtIn(), ...further]) this.add(service);
  }

  /** The same without a service that a deployment does without. */
  without(name: string): ServiceRegistry {
    const fewer = new ServiceRegistry();
    for (const other of fewer.names()) fewer.services.delete(other);
    for (const service of this.services.values()) if (service.name !== name) fewer.services.set(service.name, service);
    return fewer;
  }

  names(): readonly string[] {
    return [...this.services.keys()];
  }

  has(name: string): boolean {
    return this.services.has(name);
  }

  /** Empty when the edge is forbidden. */
  scopes(caller: string, callee: string): readonly Scope[] {
    const callers = this.services.get(callee)?.callers ?? {};
    return Object.hasOwn(callers, caller) ? (callers[caller] ?? []) : [];
  }

  calleesOf(caller: string): readonly string[] {
    return this.names().filter((callee) => this.scopes(caller, callee).length > 0);
  }

  /** The service that owns an API group, or undefined. */
  ownerOf(group: string): string | undefined {
    return [...this.services.values()].find((service) => service.groups.includes(group))?.name;
  }

  private add(service: ServiceRegistration): void {
    if (!SERVICE_NAME.test(service.name)) throw invariant(`"${service.name}" is not a service name`);
    if (this.services.has(service.name)) throw invariant(`Service "${service.name}" is registered twice`);
    const taken = service.groups.find((group) => this.ownerOf(group) !== undefined);
    if (taken !== undefined) throw invariant(`API group "${taken}" has two owners`);
    this.services.set(service.name, service);
  }
}

function builtIn(): readonly ServiceRegistration[] {
  return SERVICES.map((name) => ({
    name,
    groups: [SERVICE_GROUPS[name], ...(FURTHER_GROUPS[name] ?? [])],
    callers: Object.fromEntries(
      SERVICES.filter((caller) => CALL_MATRIX[caller].includes(name)).map((caller) => [
        caller,
        GRANTED_SCOPES[name][caller] ?? [],
      ]),
    ),
  }));
}
