import { createHash } from 'node:crypto';
import { natsAuthorization } from '@crate/helm-chart';
import { podTemplate } from './pod-template.js';
import type { ServerImage } from './server-images.js';
import { secret } from './server-secrets.js';
import {
  CLIENTS,
  labelsOf,
  metadataOf,
  NATS,
  NATS_MEMBERS,
  NATS_PORT,
  NATS_REPLICAS,
  NATS_ROUTES_PORT,
  natsConfigSecret,
  natsMember,
  natsSecret,
} from './server-names.js';

/** The program needs none of its own. */
const USER = 1000;
const [CLIENT_PORT, ROUTES_PORT] = ['client', 'routes'];
const DNS = [53].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol })));

/**
 * Three members without volumes: what goes over NATS are calls and hints, which are asked again when they are lost. Members let in who has a
 * certificate of their own authority.
 */
export function natsObjects(passwords: Readonly<Record<string, string>>, image: ServerImage): readonly object[] {
  const selector = labelsOf('nats');
  const named = metadataOf('nats', NATS);
  const configuration = natsConfiguration(passwords);
  const members = { podSelector: { matchLabels: selector } };
  return [
    secret(natsConfigSecret, { 'nats.conf': configuration }),
    service(NATS, { ports: [{ name: CLIENT_PORT, port: NATS_PORT, targetPort: CLIENT_PORT }] }),
    service(NATS_MEMBERS, {
      ...{ clusterIP: 'None', publishNotReadyAddresses: true },
      ports: [{ name: ROUTES_PORT, port: NATS_ROUTES_PORT, targetPort: ROUTES_PORT }],
    }),
    {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: named },
      spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
    },
    {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: named },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          { ports: [{ port: NATS_PORT }], from: [{ podSelector: { matchLabels: CLIENTS } }] },
          { ports: [{ port: NATS_ROUTES_PORT }], from: [members] },
        ],
        egress: [{ ports: DNS }, { ports: [{ port: NATS_ROUTES_PORT }], to: [members] }],
      },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: named },
      spec: {
        ...{ replicas: NATS_REPLICAS, serviceName: NATS_MEMBERS, podManagementPolicy: 'Parallel' },
        ...{ selector: { matchLabels: selector }, template: template(configuration, image) },
      },
    },
  ];
}

function service(name: string, spec: object): object {
  const selector = labelsOf('nats');
  return { apiVersion: 'v1', kind: 'Service', metadata: metadataOf('nats', name), spec: { selector, ...spec } };
}

function template(configuration: string, image: ServerImage): object {
  const pod = podTemplate({
    ...{ ...image, user: USER, name: 'nats', labels: labelsOf('nats') },
    ports: { [String(CLIENT_PORT)]: NATS_PORT, [String(ROUTES_PORT)]: NATS_ROUTES_PORT },
    args: ['--config=/etc/crate-nats/nats.conf'],
    env: [
      ...Object.entries({ ADDRESS: 'status.podIP', NAME: 'metadata.name' }).map(([name, fieldPath]) => ({
        ...{ name: `CRATE_NATS_${name}`, valueFrom: { fieldRef: { fieldPath } } },
      })),
      ...Object.entries({ CA: 'ca.crt', CERTIFICATE: 'tls.crt', KEY: 'tls.key' }).map(([name, file]) => ({
        ...{ name: `CRATE_NATS_${name}`, value: `/run/crate/server/${file}` },
      })),
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    mounts: { server: '/run/crate/server', config: '/etc/crate-nats', tmp: '/tmp' },
    volumes: [
      { name: 'server', secret: { secretName: natsSecret, defaultMode: 0o440 } },
      { name: 'config', secret: { secretName: natsConfigSecret, defaultMode: 0o440 } },
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
    ],
    graceSeconds: 60,
  }) as { readonly metadata: object };
  // What it reads at its start alone.
  const annotations = { 'checksum/config': createHash('sha256').update(configuration).digest('hex') };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** Addresses and paths come from the environment, as nobody else knows them; passwords stand in the file, which is a Secret. */
function natsConfiguration(passwords: Readonly<Record<string, string>>): string {
  const routes = Array.from({ length: NATS_REPLICAS }, (_, index) => `nats://${natsMember(index)}:${NATS_ROUTES_PORT}`);
  const known = Object.entries(passwords).map(([name, password]) => `${name}: ${password}`);
  return `${known.join('\n')}
server_name: $CRATE_NATS_NAME
tls {
  cert_file: $CRATE_NATS_CERTIFICATE
  key_file: $CRATE_NATS_KEY
}
cluster {
  name: ${NATS}
  host: $CRATE_NATS_ADDRESS
  port: ${NATS_ROUTES_PORT}
  no_advertise: true
  tls {
    cert_file: $CRATE_NATS_CERTIFICATE
    key_file: $CRATE_NATS_KEY
    ca_file: $CRATE_NATS_CA
    verify: true
    timeout: 10
  }
  routes: ${JSON.stringify(routes)}
}
${natsAuthorization()}`;
}
