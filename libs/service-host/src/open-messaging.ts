import { setTimeout as delay } from 'node:timers/promises';
import { inboxPrefix, ServiceRegistry, ServiceTokenIssuer, ServiceTokenVerifier, type FileKeyStore } from '@crate/auth';
import { connectNats, NatsServiceCaller, PayloadSealer, type ServiceCaller } from '@crate/messaging';
import type { Metrics } from '@crate/telemetry';
import type { FoundationOptions } from './foundation-options.js';
import { MeasuredServiceCaller } from './metrics/call-metrics.js';
import { observeNats, observeNatsCertificates } from './metrics/nats-metrics.js';
import { replicaName } from './status/replica-identity.js';

const DRAIN_MS = 2_000;

type NatsConnection = Awaited<ReturnType<typeof connectNats>>;

/** What services reach each other with, and know each other by. */
export interface Messaging {
  readonly nats: NatsConnection;
  readonly registry: ServiceRegistry;
  readonly issuer: ServiceTokenIssuer;
  readonly verifier: ServiceTokenVerifier;
  /** Seals what only one other service may read. */
  readonly sealer: PayloadSealer;
  readonly calls: ServiceCaller;
}

/** Connects to NATS; `keys` are those of all services. */
export async function openMessaging(
  { service, config, logger, signal, teardown }: FoundationOptions,
  keys: FileKeyStore,
  metrics: Metrics,
): Promise<Messaging> {
  const registry = new ServiceRegistry();
  const issuer = new ServiceTokenIssuer({ service, keys, registry });
  const verifier = new ServiceTokenVerifier({ service, keys, registry });
  const { url, user, password, tls } = config.nats;
  const name = replicaName(service);
  const nats = await connectNats({ url, tls, user, password, name, inboxPrefix: inboxPrefix(service), logger, signal });
  teardown.add(() => closeNats(nats));
  observeNats(metrics, nats);
  observeNatsCertificates(metrics, tls);
  const sealer = new PayloadSealer(service, keys);
  const calls = new MeasuredServiceCaller(new NatsServiceCaller(nats, issuer, sealer), metrics);
  return { nats, registry, issuer, verifier, sealer, calls };
}

/** Lets what was published go out, unless the server is away: then nobody would hear it for as long as we wait. */
async function closeNats(nats: NatsConnection): Promise<void> {
  if (nats.isClosed()) return;
  await Promise.race([nats.drain().catch(() => undefined), delay(DRAIN_MS, undefined, { ref: false })]);
  await nats.close();
}
