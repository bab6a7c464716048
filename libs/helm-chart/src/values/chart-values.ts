import { z } from 'zod';
import { anyList, anyMap, name, networks, strings } from './fields.js';
import { BUNDLED_NATS } from './nats-values.js';
import { databaseValues, messagingValues, postgresqlValues } from './store-values.js';
import { inClusterValues } from './in-cluster-values.js';
import { cloudMgmtValues, clusterMgmtValues, lifecycleValues, policyMgmtValues } from './services.js';

const EVERYWHERE = ['0.0.0.0/0'];

/** Everything that may be set of the chart, in the order of its values.yaml. What is unknown is refused. */
export const chartValues = z.strictObject({
  nameOverride: name().describe('In the place of the name of the chart'),
  fullnameOverride: name().describe('In the place of release and chart in the names of objects'),
  commonLabels: strings().describe('Labels of every object'),
  image: z
    .strictObject({
      registry: z.string().default('ghcr.io').describe('Registry of all images'),
      repository: z.string().default('crate').describe('Path in it; images are registry/repository/crate-<service>'),
      tag: z.string().default('').describe('Tag; empty: the version of the application'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
      pullSecrets: z
        .array(z.strictObject({ name: z.string() }))
        .default([])
        .describe('Secrets with credentials of the registry'),
    })
    .describe('Images of the services'),
  components: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          'Lets lifecycle install versions that a Component is set to: it gets a token of the cluster that may patch the StatefulSets of this release, and thereby whatever their pods may. Not where something else keeps them as a repository has them, and not with one pod of lifecycle',
        ),
    })
    .describe('Upgrades by setting a version, see docs/release/upgrading.md'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Lines below this level are dropped'),
  listenAddress: z.string().default('0.0.0.0').describe('Address that pods listen on; "::" where there is IPv6'),
  trustSecret: name().describe('Secret with the public keys of all services; empty: <fullname>-trust'),
  persistence: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe(
          'Keeps states of Terraform that are on their way and the recovery markers when a pod goes; without it a restored backup is not noticed',
        ),
      accessModes: z.array(z.string()).min(1).default(['ReadWriteOnce']),
      annotations: strings(),
      whenDeleted: z
        .enum(['Retain', 'Delete'])
        .default('Retain')
        .describe('What becomes of volumes when the release is removed'),
    })
    .describe('Volumes of pods'),
  database: databaseValues,
  postgresql: postgresqlValues,
  messaging: messagingValues,
  nats: z
    .looseObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('Runs NATS by the official chart, which the rest of this block is for'),
    })
    .meta({ chartDefaults: BUNDLED_NATS })
    .describe('Bundled NATS: https://github.com/nats-io/k8s/tree/main/helm/charts/nats'),
  inCluster: inClusterValues,
  lifecycle: lifecycleValues.describe('Front door, clusters and add-ons'),
  cloudMgmt: cloudMgmtValues.describe('Terraform and the cloud'),
  clusterMgmt: clusterMgmtValues.describe('Engines and clusters'),
  policyMgmt: policyMgmtValues.describe('Policies'),
  spread: z
    .strictObject({
      zones: z.enum(['required', 'preferred', 'none']).default('preferred'),
      nodes: z.enum(['required', 'preferred', 'none']).default('preferred'),
    })
    .describe('How pods of a service keep apart'),
  probes: z
    .strictObject({
      startSeconds: z
        .int()
        .min(30)
        .default(600)
        .describe('How long a start may take; migrations of the database are part of it'),
      readySeconds: z.int().min(1).default(5).describe('Between looks whether a pod may be sent requests'),
      liveSeconds: z
        .int()
        .min(5)
        .default(10)
        .describe('Between looks whether a process answers; six failures restart it'),
    })
    .describe('Probes'),
  externalSecrets: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('Has the External Secrets Operator make the Secrets of this release'),
      storeName: z.string().default('').describe('Name of the store'),
      storeKind: z.enum(['SecretStore', 'ClusterSecretStore']).default('ClusterSecretStore'),
      prefix: z
        .string()
        .default('crate')
        .describe('Path of the secrets in the store, such as crate/lifecycle/credentials'),
      refreshInterval: z
        .string()
        .regex(/^[0-9]+(s|m|h)$/)
        .default('15m'),
    })
    .describe('Secrets from a store of your own'),
  certManager: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('Has cert-manager make the certificates of the API, of bundled NATS and of the webhook'),
      issuerName: z
        .string()
        .default('')
        .describe(
          'Name of the issuer: a private authority, since all of them are for names within the cluster, too, which ACME refuses; a public one is for ingress.tlsSecret',
        ),
      issuerKind: z.enum(['Issuer', 'ClusterIssuer']).default('ClusterIssuer'),
      duration: z.string().default('2160h'),
      renewBefore: z.string().default('720h'),
    })
    .describe('Certificates'),
  service: z
    .strictObject({
      type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP'),
      port: z.int().min(1).max(65_535).default(443),
      nodePort: z
        .int()
        .min(0)
        .max(65_535)
        .default(0)
        .describe(
          'With NodePort: port of all nodes, 0: one that is free. Who may come there is for the network to say',
        ),
      allocateNodePorts: z
        .boolean()
        .default(true)
        .describe(
          'With LoadBalancer, that of the webhook included: a port of all nodes, which most controllers send to; false where yours needs none',
        ),
      annotations: strings(),
      loadBalancerSourceRanges: networks([]).describe(
        'Who may come; with LoadBalancer required, unless annotations make it internal',
      ),
    })
    .describe('Service of the public API and the console'),
  ingress: z
    .strictObject({
      enabled: z.boolean().default(false),
      className: z.string().default(''),
      annotations: strings().describe(
        'The API speaks TLS itself: say to your controller that the backend is HTTPS, to wait for watches, and to let bodies of 3 MiB in',
      ),
      host: z.string().default('').describe('Name by which people reach the API'),
      tlsSecret: name().describe('Secret with its certificate; empty: the one of the API'),
    })
    .describe('Ingress'),
  networkPolicies: z
    .strictObject({
      enabled: z.boolean().default(true),
      dns: anyList().describe('Peers that answer DNS; empty: port 53 everywhere'),
      api: anyList().describe('Peers that may reach the API; empty: everybody'),
      webhook: z.strictObject({
        cidrs: networks([]).describe('Networks of API servers of clusters that ask the webhook'),
      }),
      metrics: anyList().describe('Peers that may scrape; empty: the namespace named monitoring'),
      issuers: networks(EVERYWHERE).describe(
        'Networks of OpenID Connect issuers; 0.0.0.0/0 alone: what runs in the same cluster, too',
      ),
      issuerPorts: z
        .array(z.int().min(1).max(65_535))
        .default([443])
        .describe('Ports of these beside those that their URLs name; of one in the same cluster that of its pods'),
      notifications: networks(EVERYWHERE).describe(
        'Networks of mail servers, chats and webhooks that Projects are told by; 0.0.0.0/0 alone: what runs in the same cluster, too',
      ),
      notificationPorts: z.array(z.int().min(1).max(65_535)).default([443, 465, 587]),
      releases: networks(EVERYWHERE).describe(
        'Networks of the index of releases (CRATE_RELEASES_INDEX) and of the API of AWS Marketplace, at port 443, where lifecycle.env names one of them; 0.0.0.0/0 alone: what runs in the same cluster, too',
      ),
      clouds: networks(EVERYWHERE).describe('Networks of the APIs of clouds and of the Terraform registry'),
      packs: networks(EVERYWHERE).describe(
        'Networks of registries of packs; 0.0.0.0/0 alone: what runs in the same cluster, too',
      ),
      packPorts: z
        .array(z.int().min(1).max(65_535))
        .default([443])
        .describe(
          'Ports of these beside those that the names of packs have; of one in the same cluster that of its pods',
        ),
      clusters: networks(EVERYWHERE).describe(
        'Networks of machines and API servers of clusters; 0.0.0.0/0 alone: what runs in its own cluster, too',
      ),
      clusterPorts: z.array(z.int().min(1).max(65_535)).default([22, 443, 6443, 9345]),
      apiServers: networks(EVERYWHERE).describe(
        'Networks of the API servers of the cluster it runs in, which lifecycle asks with components.enabled; 0.0.0.0/0 alone: also as nodes of it',
      ),
      apiServerPorts: z.array(z.int().min(1).max(65_535)).default([443, 6443]),
      telemetry: anyList().describe('Peers that take traces'),
      telemetryPort: z
        .int()
        .min(0)
        .max(65_535)
        .default(0)
        .describe('Port of these; 0: that of tracing.endpoint. Of a Service of the same cluster that of its pods'),
    })
    .describe(
      'Who may talk to whom on the network. Services reach each other by NATS alone, where the permissions of their users are the call matrix',
    ),
  monitoring: z
    .strictObject({
      serviceMonitor: z.strictObject({
        enabled: z.boolean().default(false),
        interval: z
          .string()
          .regex(/^[0-9]+s$/)
          .default('15s')
          .describe('At most 30s: rules count on it'),
        labels: strings().describe('What your Prometheus selects by, such as release: kube-prometheus-stack'),
      }),
      prometheusRule: z.strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe(
            'Objectives and alerts of deploy/prometheus, for all releases that one Prometheus scrapes: on in one of them',
          ),
        labels: strings(),
        runbooks: z.string().default('').describe('URL that docs/runbooks/… of this repository follows'),
      }),
      dashboards: z.strictObject({
        enabled: z.boolean().default(false).describe('Dashboards of deploy/grafana as ConfigMaps'),
        labels: strings({ grafana_dashboard: '1' }).describe("What Grafana's sidecar selects by"),
        annotations: strings(),
      }),
      prometheusAddress: z
        .string()
        .default('http://prometheus-operated.monitoring.svc:9090')
        .describe('Where KEDA asks'),
    })
    .describe('Prometheus, Grafana and KEDA'),
  tracing: z
    .strictObject({
      endpoint: z.string().default('').describe('Base URL of an OpenTelemetry collector; empty: no traces'),
      headersSecret: name().describe('Secret with otlp-headers'),
      sampleRatio: z.number().min(0).max(1).default(1),
    })
    .describe('Traces'),
  global: anyMap().describe('Taken by charts of Helm in general'),
});
