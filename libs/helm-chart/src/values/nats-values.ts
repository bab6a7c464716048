import { DEFAULT_MAX_PAYLOAD_BYTES, natsUser, SERVICES } from '@crate/auth';

/** The release that names in the block of bundled NATS are for; its values cannot be templated from here. */
const RELEASE = 'crate';
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Variable of nats-server's environment with the password of a service. */
export function passwordVariable(service: string): string {
  return `CRATE_NATS_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`;
}

/**
 * Between the servers, where no user and no permission holds: members alone have such a certificate, and show it. Where the official chart mounts it.
 * Source: https://docs.nats.io/running-a-nats-service/configuration/clustering/cluster_tls
 */
const ROUTES_TLS = {
  enabled: true,
  secretName: `${RELEASE}-nats-routes-tls`,
  merge: { ca_file: '/etc/nats-certs/cluster/ca.crt', verify: true, timeout: 10 },
};

/** What the official chart is told: three servers with TLS, a user for each service, and pods as the standard "restricted" asks. */
export const BUNDLED_NATS: Readonly<Record<string, unknown>> = {
  fullnameOverride: `${RELEASE}-nats`,
  config: {
    cluster: { enabled: true, replicas: 3, tls: ROUTES_TLS },
    nats: { tls: { enabled: true, secretName: `${RELEASE}-nats-tls` } },
    merge: {
      // Unquoted for nats-server: the chart takes << >> off.
      max_payload: `<< ${DEFAULT_MAX_PAYLOAD_BYTES} >>`,
      authorization: { users: SERVICES.map((service) => natsUser(service, `<< $${passwordVariable(service)} >>`)) },
    },
  },
  container: {
    env: Object.fromEntries(
      SERVICES.map((service) => [
        passwordVariable(service),
        { valueFrom: { secretKeyRef: { name: `${RELEASE}-${service}-credentials`, key: 'nats-password' } } },
      ]),
    ),
    merge: {
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
      securityContext: RESTRICTED,
    },
  },
  reloader: {
    merge: {
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
      securityContext: RESTRICTED,
    },
  },
  podTemplate: {
    merge: {
      spec: {
        automountServiceAccountToken: false,
        securityContext: {
          ...{ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    },
  },
  natsBox: { enabled: false },
};
