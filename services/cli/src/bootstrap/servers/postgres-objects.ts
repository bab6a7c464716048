import { NAMESPACE } from '@crate/helm-chart';
import { podTemplate } from './pod-template.js';
import type { ServerImage } from './server-images.js';
import type { ServerStorage } from './storage.js';
import { CLIENTS, labelsOf, metadataOf, POSTGRES, POSTGRES_PORT, postgresSecret } from './server-names.js';

/** Of the Debian image. */
const USER = 999;
const CONFIG = `${POSTGRES}-config`;
const PORT = 'postgres';
/** Nobody comes in without TLS. */
const ACCESS = `local   all all     trust
hostssl all all all scram-sha-256
`;

/**
 * One PostgreSQL with a volume, by TLS alone. There is no budget for disruptions: of one server none could be spared, and machines could not be
 * drained.
 */
export function postgresObjects(storage: ServerStorage, image: ServerImage): readonly object[] {
  const selector = labelsOf('postgres');
  const named = metadataOf('postgres', POSTGRES);
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf('postgres', CONFIG), data: { 'pg_hba.conf': ACCESS } },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: named },
      spec: { selector, ports: [{ name: PORT, port: POSTGRES_PORT, targetPort: PORT }] },
    },
    {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: named },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ ports: [{ port: POSTGRES_PORT }], from: [{ podSelector: { matchLabels: CLIENTS } }] }],
      },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: named },
      spec: {
        ...{ replicas: 1, serviceName: POSTGRES, selector: { matchLabels: selector } },
        template: template(image),
        volumeClaimTemplates: [claim(storage)],
      },
    },
  ];
}

function template(image: ServerImage): object {
  return podTemplate({
    ...{ ...image, user: USER, name: 'postgres', labels: labelsOf('postgres'), ports: { [PORT]: POSTGRES_PORT } },
    args: [
      ...['--ssl=on', '--ssl_cert_file=/run/crate/server/tls.crt', '--ssl_key_file=/run/crate/server/tls.key'],
      ...['--hba_file=/run/crate/config/pg_hba.conf', '--max_connections=400', '--max_wal_size=2GB'],
    ],
    env: [
      { name: 'PGDATA', value: '/var/lib/crate/data/pgdata' },
      { name: 'POSTGRES_DB', value: 'crate' },
      { name: 'POSTGRES_INITDB_ARGS', value: '--auth-host=scram-sha-256 --encoding=UTF8 --locale=C' },
      { name: 'POSTGRES_PASSWORD_FILE', value: '/run/crate/server/password' },
    ],
    resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } },
    mounts: {
      ...{ data: '/var/lib/crate/data', server: '/run/crate/server', config: '/run/crate/config' },
      ...{ run: '/var/run/postgresql', tmp: '/tmp', shm: '/dev/shm' },
    },
    volumes: [
      // PostgreSQL takes a key that belongs to root only if nobody but its group may read it.
      { name: 'server', secret: { secretName: postgresSecret, defaultMode: 0o440 } },
      { name: 'config', configMap: { name: CONFIG } },
      { name: 'run', emptyDir: { sizeLimit: '16Mi' } },
      { name: 'tmp', emptyDir: { sizeLimit: '256Mi' } },
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
    ],
    graceSeconds: 120,
  });
}

function claim({ size, storageClass }: ServerStorage): object {
  return {
    metadata: { name: 'data', namespace: NAMESPACE },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
      resources: { requests: { storage: size } },
    },
  };
}
