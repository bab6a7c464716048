import type { ServiceRegistry } from '../service-registry.js';
import { inboxPrefix, subjects } from './subjects.js';

/** What one service may do on NATS. Publishing replies is allowed by the server to whoever was asked. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * The call matrix as NATS subject permissions: a service reaches the services it may call, hears the hints and
 * announcements of those and of its own replicas, and nothing else.
 */
export function natsPermissions(service: string, registry: ServiceRegistry): NatsPermissions {
  const callees = registry.calleesOf(service);
  const heard = [service, ...callees];
  return {
    publish: [
      ...callees.map((callee) => subjects.methods(callee)),
      subjects.hints(service),
      subjects.announce(service),
      ...(callees.length > 0 ? [subjects.discovery] : []),
    ],
    subscribe: [
      subjects.methods(service),
      ...heard.map((name) => subjects.hints(name)),
      ...callees.map((callee) => subjects.announce(callee)),
      subjects.discovery,
      `${inboxPrefix(service)}.>`,
    ],
  };
}
