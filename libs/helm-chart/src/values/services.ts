import { z } from 'zod';
import { anyList, name, networks } from './fields.js';
import { serviceValues } from './service-values.js';

/** Of this installation: one Prometheus may look at several. */
const OWN = 'job="crate",namespace="{{ .Release.Namespace }}"';

/** The longest queue of a service's reconcilers; what is under way somewhere is not in it. */
function queueOf(service: string): string {
  return `max(crate_reconcile_queue_depth{${OWN},service="${service}",state="due"})`;
}

export const lifecycleValues = serviceValues(
  {
    ...{ replicas: 2, cpu: '250m', memory: '512Mi', memoryLimit: '1Gi', volume: '1Gi', threshold: 50 },
    stopSeconds: 60,
    query: `sum(crate_http_requests_in_flight{${OWN},service="lifecycle"})`,
  },
  {
    tlsSecret: name().describe('Secret with tls.crt and tls.key of the API; empty: <fullname>-api-tls'),
    issuers: anyList().describe('OpenID Connect issuers of people, as docs/signing-in.md lists them'),
    issuersSecret: name().describe('Secret whose files issuers name as /run/crate/issuers/…'),
    consoleUrl: z
      .string()
      .default('')
      .describe('https:// URL where browsers reach the API; empty: the host of the Ingress, or as the browser says'),
    trustedProxies: z.array(z.string()).default([]).describe('Networks of proxies whose X-Forwarded-For is believed'),
  },
);

export const cloudMgmtValues = serviceValues(
  {
    ...{ replicas: 2, cpu: '500m', memory: '1Gi', memoryLimit: '3Gi', volume: '10Gi', threshold: 10 },
    // Passes have ten seconds, then Terraform has two minutes for what is in flight.
    stopSeconds: 180,
    query: queueOf('cloud-mgmt'),
  },
  {
    managementCidrs: networks([]).describe(
      'Networks that may reach SSH of bastions and API servers of clusters; empty: private ones, with which nothing is made in AWS',
    ),
  },
);

export const clusterMgmtValues = serviceValues(
  {
    ...{ replicas: 2, cpu: '250m', memory: '512Mi', memoryLimit: '2Gi', volume: '1Gi', threshold: 20 },
    stopSeconds: 60,
    query: queueOf('cluster-mgmt'),
  },
  { sharedMemory: z.string().default('128Mi').describe('Size of /dev/shm, where engine runs keep private files') },
);

export const policyMgmtValues = serviceValues(
  {
    ...{ replicas: 2, cpu: '250m', memory: '512Mi', memoryLimit: '1Gi', volume: '1Gi', threshold: 50 },
    stopSeconds: 60,
    query: queueOf('policy-mgmt'),
  },
  {
    packArtifacts: z.array(z.string()).default([]).describe('Signed packs in OCI registries'),
    webhook: z.strictObject({
      enabled: z.boolean().default(false).describe('Answers API servers of clusters; see docs/admission-webhook.md'),
      host: z.string().default('').describe('Name by which they reach it, for its certificate'),
      tlsSecret: name().describe('Secret with tls.crt and tls.key; empty: <fullname>-webhook-tls'),
      clientCaSecret: name().describe(
        'Secret with ca.crt of clients; empty: that of tlsSecret, where cert-manager puts the authority of the webhook itself',
      ),
      verifyClients: z.boolean().default(true).describe('Answers only who shows a certificate of ca.crt'),
      serviceType: z.enum(['ClusterIP', 'LoadBalancer']).default('ClusterIP'),
      annotations: z.record(z.string(), z.string()).default({}),
    }),
  },
);
