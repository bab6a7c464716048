import { subjects, TOKEN_HEADER, type ServiceRegistry, type ServiceTokenVerifier } from '@crate/auth';
import { forbidden } from '@crate/errors';
import { ResourceRouter, type KindInfo, type ResourceApi, type ResourceType, type Route } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';
import type { ServiceCaller } from '../bus.js';
import { secrecyOf, type KindSecrecy } from '../sealing/secrecy.js';
import { NatsResourceApi } from '../resources/nats-resource-api.js';
import { parseAnnouncement } from './announcement.js';
import { KnownService } from './known-service.js';

export interface ServiceDirectoryOptions {
  readonly connection: NatsConnection;
  readonly calls: ServiceCaller;
  readonly verifier: ServiceTokenVerifier;
  readonly registry: ServiceRegistry;
  /** Services whose announcements are heard: those this service may call. */
  readonly heard: readonly string[];
  readonly logger: Logger;
  /** Milliseconds of a clock that nobody sets, and that stands still while the machine sleeps: nobody was heard meanwhile. */
  readonly now?: () => number;
}

/**
 * Knows which service owns which kind, from what services announce. A service that is down keeps its kinds for some
 * minutes, so that people are told "unavailable", not "unknown"; of whom nothing is known, `awayOwner` knows the groups.
 */
export class ServiceDirectory extends ResourceRouter {
  private readonly services = new Map<string, KnownService>();
  private readonly local: Route[] = [];
  private subscriptions: readonly Subscription[] = [];
  private routes: ReadonlyMap<string, Route> = new Map();
  private sorted: readonly KindInfo[] = [];

  constructor(private readonly options: ServiceDirectoryOptions) {
    super();
  }

  /** Adds kinds that this process answers itself. */
  addLocal(kinds: readonly KindInfo[], api: ResourceApi): void {
    this.local.push(...kinds.map((kind) => ({ kind, api })));
    this.rebuild();
  }

  /** Listens, and asks everyone to announce; answers come within milliseconds. */
  start(): void {
    const { connection, heard } = this.options;
    this.subscriptions = heard.map((service) =>
      connection.subscribe(subjects.announce(service), {
        callback: (error, message) => (error ? undefined : this.receive(service, message)),
      }),
    );
    connection.publish(subjects.discovery);
  }

  stop(): void {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  /** The same array until something changes. */
  override kinds(): readonly KindInfo[] {
    this.expire();
    return this.sorted;
  }

  override find(group: string, version: string, plural: string): Route | undefined {
    this.expire();
    return this.routes.get(routeKey({ group, version, plural }));
  }

  /** The service that owns a group, if it is one to be heard of, and nothing is known of it: it is down, or yet to announce. */
  awayOwner(group: string): string | undefined {
    this.expire();
    const owner = this.options.registry.ownerOf(group);
    if (owner === undefined || !this.options.heard.includes(owner) || this.services.has(owner)) return undefined;
    return owner;
  }

  private receive(service: string, message: Msg): void {
    try {
      this.admit(service, message);
    } catch (error) {
      this.options.logger.warn('Ignoring an announcement', { error, service });
    }
  }

  private admit(service: string, message: Msg): void {
    const announcer = this.options.verifier.verifyAnnouncement(message.headers?.get(TOKEN_HEADER));
    if (announcer !== service) throw forbidden(`${announcer} announces as ${service}`);
    const known = this.services.get(service) ?? this.newService(service);
    const text = message.string();
    if (known.isRepeated(text, this.now())) return;

    const announcement = parseAnnouncement(JSON.parse(text));
    for (const { group } of announcement.kinds) this.checkOwner(service, group);
    known.update(announcement, text, this.now());
    this.services.set(service, known);
    this.rebuild();
    this.options.logger.info('Learning kinds of a service', { service, kinds: announcement.kinds.length });
  }

  private checkOwner(service: string, group: string): void {
    if (this.options.registry.ownerOf(group) !== service) throw forbidden(`${service} does not own ${group}`);
  }

  private newService(service: string): KnownService {
    const secrecy = (type: ResourceType): KindSecrecy | undefined => {
      const route = this.routes.get(routeKey(type));
      return route && secrecyOf(route.kind);
    };
    return new KnownService(new NatsResourceApi(this.options.calls, service, { secrecyOf: secrecy }));
  }

  private expire(): void {
    let hasChanged = false;
    for (const [name, service] of this.services) {
      hasChanged = service.expire(this.now()) || hasChanged;
      if (service.isForgotten(this.now())) this.services.delete(name);
    }
    if (hasChanged) this.rebuild();
  }

  private rebuild(): void {
    const remote = [...this.services.values()].flatMap((service) => service.routes());
    // Local ones last: this process knows its own kinds best.
    this.routes = new Map([...remote, ...this.local].map((route) => [routeKey(route.kind), route]));
    this.sorted = [...this.routes.values()].map((route) => route.kind).sort(byName);
  }

  private now(): number {
    return this.options.now?.() ?? performance.now();
  }
}

function routeKey({ group, version, plural }: Pick<KindInfo, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}

function byName(left: KindInfo, right: KindInfo): number {
  return routeKey(left) < routeKey(right) ? -1 : 1;
}
