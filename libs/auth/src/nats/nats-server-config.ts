import { invariant } from '@crate/errors';
import { ServiceRegistry } from '../service-registry.js';
import { natsPermissions } from './nats-permissions.js';

/** Largest message the platform asks NATS to carry; a Terraform plan of a large cluster is the biggest one. */
export const DEFAULT_MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

/** How long after a request NATS lets its one reply through: longer than any call may last, the time of saying so included. */
export const REPLY_WITHIN_MS = 180_000;

export interface NatsUser {
  readonly service: string;
  readonly password: string;
}

/** Files, PEM. */
export interface NatsServerTls {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Given, clients must show a certificate of one of these authorities. */
  readonly clientCaFile?: string;
}

export interface NatsServerConfigOptions {
  readonly port: number;
  readonly users: readonly NatsUser[];
  /** Bytes of one message. Default: 4 MiB. */
  readonly maxPayload?: number;
  readonly registry?: ServiceRegistry;
  /** Absent: no TLS, for loopback alone. */
  readonly tls?: NatsServerTls;
  /** Address to listen on; default: loopback. Throws Invariant for any other without TLS: passwords would travel in the open. */
  readonly host?: string;
  /** Directory for JetStream; absent: there is none. */
  readonly jetStreamDir?: string;
  /** Port of `/healthz`, on loopback; absent: there is none. */
  readonly monitorPort?: number;
}

// Values are written as JSON: what nats-server reads is a superset of it.
const LOOPBACK = '127.0.0.1';
/** Names and passwords stand in quotes; what could end the quotes is refused. */
const QUOTABLE = /^[A-Za-z0-9_.~+/=-]+$/;

/**
 * A user of NATS as its server reads it, with the subjects that the call matrix allows; `password` is how the file says where that is.
 * One reply per request and only for a while: a service that was asked once has no lasting way to the asker's inbox.
 */
export function natsUser(
  service: string,
  password: string,
  registry = new ServiceRegistry(),
): Readonly<Record<string, unknown>> {
  const { publish, subscribe } = natsPermissions(service, registry);
  return {
    user: service,
    password,
    permissions: {
      publish: { allow: publish },
      subscribe: { allow: subscribe },
      allow_responses: { max: 1, expires: `${REPLY_WITHIN_MS / 1000}s` },
    },
  };
}

/**
 * Configuration text for nats-server 2.9: one user per service, each with the subjects that the call
 * matrix allows. Holds passwords: write it with mode 0600.
 */
export function natsServerConfig(options: NatsServerConfigOptions): string {
  const registry = options.registry ?? new ServiceRegistry();
  const users = options.users.map((user) => userLine(user, registry));
  const { host = LOOPBACK } = options;
  if (host !== LOOPBACK && !options.tls) throw invariant(`NATS would listen on ${host} without TLS`);
  return [
    `host: ${JSON.stringify(host)}`,
    `port: ${options.port}`,
    `max_payload: ${options.maxPayload ?? DEFAULT_MAX_PAYLOAD_BYTES}`,
    ...tlsBlock(options.tls),
    ...(options.jetStreamDir === undefined
      ? []
      : [`jetstream: ${JSON.stringify({ store_dir: options.jetStreamDir })}`]),
    ...(options.monitorPort === undefined ? [] : [`http: "${LOOPBACK}:${options.monitorPort}"`]),
    'authorization {',
    '  users: [',
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
}

function tlsBlock(tls: NatsServerTls | undefined): readonly string[] {
  if (!tls) return [];
  const { certificateFile, keyFile, clientCaFile } = tls;
  const files = { cert_file: certificateFile, key_file: keyFile };
  const clients = clientCaFile === undefined ? {} : { ca_file: clientCaFile, verify: true };
  return [`tls: ${JSON.stringify({ ...files, ...clients })}`];
}

function userLine({ service, password }: NatsUser, registry: ServiceRegistry): string {
  if (!registry.has(service)) throw invariant(`Service "${service}" is not registered`);
  if (!QUOTABLE.test(password)) throw invariant('A NATS password has a character that its file cannot carry');
  return `    ${JSON.stringify(natsUser(service, password, registry))}`;
}
