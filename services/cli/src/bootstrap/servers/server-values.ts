import { SERVICE_ORDER } from '../../up/service-order.js';
import type { BootstrapRequest } from '../request.js';
import { bundledServers } from './bundled-servers.js';
import { namesInCluster, NATS, NATS_PORT, SERVERS_CA } from './server-names.js';

const CA_FILE = '/run/crate/database-ca/ca.crt';

/** Values of the chart: where the servers are, and whom to trust for it. */
export function serverValues(request: BootstrapRequest): Readonly<Record<string, unknown>> {
  const { postgres, nats } = bundledServers(request);
  return {
    ...(nats ? { messaging: { url: natsUrl(), tlsSecret: SERVERS_CA } } : { messaging: { url: request.natsUrl } }),
    ...(postgres ? { database: { caSecret: SERVERS_CA }, ...trusting() } : {}),
  };
}

function natsUrl(): string {
  const [, , host = ''] = namesInCluster(NATS);
  return `tls://${host}:${NATS_PORT}`;
}

/** Volumes of services are of the class that somebody names, as PostgreSQL's is; otherwise of the cluster's. */
export function volumeValues({ storageClass }: BootstrapRequest): Readonly<Record<string, unknown>> {
  return storageClass === undefined ? {} : ofEachService({ persistence: { storageClassName: storageClass } });
}

/** By a variable and not by the URL: that has no path which is the same in every cluster, one whose pods are processes included. */
function trusting(): Readonly<Record<string, unknown>> {
  return ofEachService({ env: { NODE_EXTRA_CA_CERTS: CA_FILE } });
}

function ofEachService(values: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(SERVICE_ORDER.map((service) => [service.replace(/-mgmt$/, 'Mgmt'), values]));
}
