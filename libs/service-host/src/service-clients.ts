import type { KindDefinition, KubeObject } from '@crate/api';
import type { ServiceRegistry } from '@crate/auth';
import { invariant } from '@crate/errors';
import { NatsResourceApi, secrecyOf, type KindSecrecy, type ServiceCaller } from '@crate/messaging';
import { TypedClient, type CallContext, type ResourceApi, type ResourceType } from '@crate/resource-client';
import { currentContext, newTraceId } from '@crate/telemetry';

/** Typed access to the kinds of every service this one may call. */
export abstract class ServiceClients {
  /** Own kinds answer in this process, others over NATS. Acts as the service itself. */
  abstract for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T>;
}

/** Finds the owner of a kind by its API group. */
export class RoutedServiceClients extends ServiceClients {
  private readonly remote = new Map<string, ResourceApi>();
  private readonly kinds = new Map<string, KindDefinition>();

  constructor(
    private readonly service: string,
    private readonly local: ResourceApi,
    private readonly calls: ServiceCaller,
    private readonly registry: ServiceRegistry,
  ) {
    super();
  }

  for<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    this.kinds.set(keyOf(kind), kind);
    return new TypedClient(this.apiOf(kind.group), kind, serviceContext(this.service));
  }

  private apiOf(group: string): ResourceApi {
    const owner = this.registry.ownerOf(group);
    if (owner === undefined) throw invariant(`Nobody owns the API group ${group}`);
    if (owner === this.service) return this.local;
    const secrecy = (type: ResourceType): KindSecrecy | undefined => this.secrecyOf(type);
    const known = this.remote.get(owner) ?? new NatsResourceApi(this.calls, owner, { secrecyOf: secrecy });
    this.remote.set(owner, known);
    return known;
  }

  private secrecyOf(type: ResourceType): KindSecrecy | undefined {
    const kind = this.kinds.get(keyOf(type));
    return kind && secrecyOf(kind);
  }
}

function keyOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

/** The service acting for itself, under the trace of the pass at hand. */
export function serviceContext(service: string): CallContext {
  const own = newTraceId();
  return {
    caller: { user: `system:${service}`, groups: [], service },
    get traceId() {
      return currentContext().traceId ?? own;
    },
  };
}
