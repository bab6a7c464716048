import { NAMESPACE, RELEASE } from '@crate/helm-chart';

/** Of the StatefulSet, and of the Service that clients know. */
export const POSTGRES = `${RELEASE}-postgres`;
export const NATS = `${RELEASE}-nats`;
/** Of the Service by which the members of NATS know each other. */
export const NATS_MEMBERS = `${NATS}-members`;
export const POSTGRES_PORT = 5432;
export const NATS_PORT = 4222;
export const NATS_ROUTES_PORT = 6222;
/** A majority goes on without one of them, and messages are not kept: three for machines that are replaced one by one. */
export const NATS_REPLICAS = 3;

/** Secret with `ca.crt` alone, for clients. */
export const SERVERS_CA = `${RELEASE}-servers-ca`;
/** Secret of a server: its certificate and, for PostgreSQL, its password. That of NATS with its configuration has its users' passwords. */
export const postgresSecret = POSTGRES;
export const natsSecret = `${NATS}-server`;
export const natsConfigSecret = `${NATS}-config`;

/** All names of a Service inside its cluster. */
export function namesInCluster(service: string): readonly string[] {
  const full = `${service}.${NAMESPACE}.svc`;
  return [service, `${service}.${NAMESPACE}`, full, `${full}.cluster.local`];
}

export function natsMember(index: number): string {
  return `${NATS}-${index}.${NATS_MEMBERS}.${NAMESPACE}.svc`;
}

/** Labels that select the pods of a server. */
export function labelsOf(server: 'postgres' | 'nats'): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': server, 'app.kubernetes.io/instance': RELEASE };
}

/** Name and namespace of an object. */
export function metadataOf(server: 'postgres' | 'nats', name: string): object {
  const labels = { ...labelsOf(server), 'app.kubernetes.io/part-of': 'crate' };
  return { name, namespace: NAMESPACE, labels };
}

/** Labels of the pods of all services of the release, which are the servers' only clients. */
export const CLIENTS = { 'app.kubernetes.io/name': 'crate', 'app.kubernetes.io/instance': RELEASE };
