import type { Values } from './staged-chart.js';

/** What may be chosen independently of one another; each choice is a piece of values. */
type Choices = Readonly<Record<string, Readonly<Record<string, Values>>>>;

const EXTERNAL_NATS = { messaging: { url: 'tls://nats.example.com:4222', networks: ['10.1.0.0/16'] } };
const SERVICES = ['lifecycle', 'cloudMgmt', 'clusterMgmt', 'policyMgmt'];

function ofEachService(values: Values): Values {
  return Object.fromEntries(SERVICES.map((service) => [service, values]));
}

const CHOICES: Choices = {
  postgres: {
    external: { database: { caSecret: 'database-ca', networks: ['10.0.0.0/16'] } },
    anywhere: {},
    bundled: {
      postgresql: { enabled: true, storage: { storageClass: 'fast' }, spec: { backup: { target: 'primary' } } },
    },
  },
  nats: {
    external: EXTERNAL_NATS,
    plain: { messaging: { url: 'nats://nats.example.com:4222' } },
    certificates: { messaging: { ...EXTERNAL_NATS.messaging, clientCertificates: true } },
    bundled: { nats: { enabled: true } },
    bundledWithoutTls: {
      nats: { enabled: true, config: { nats: { tls: { enabled: false } } } },
      messaging: { tls: false },
    },
  },
  door: {
    inside: {},
    ingress: { ingress: { enabled: true, className: 'nginx', host: 'crate.example.com' } },
    nodePort: { service: { type: 'NodePort', nodePort: 30_443 } },
    loadBalancer: { service: { type: 'LoadBalancer', loadBalancerSourceRanges: ['203.0.113.0/24'] } },
  },
  monitoring: {
    off: {},
    on: {
      monitoring: {
        serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
        prometheusRule: { enabled: true, runbooks: 'https://git.example.com/crate/docs/runbooks' },
        dashboards: { enabled: true },
      },
      tracing: { endpoint: 'http://collector.monitoring.svc:4318', headersSecret: 'otlp' },
    },
  },
  scaling: {
    one: ofEachService({ replicas: 1 }),
    two: {},
    three: { ...ofEachService({ replicas: 3 }), spread: { zones: 'required', nodes: 'required' } },
    hpa: ofEachService({ autoscaling: { kind: 'hpa', minReplicas: 2, maxReplicas: 5 } }),
    keda: ofEachService({ autoscaling: { kind: 'keda' } }),
  },
  network: {
    guarded: {},
    open: { networkPolicies: { enabled: false } },
    narrow: {
      networkPolicies: {
        dns: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
        api: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
        issuers: ['198.51.100.0/24'],
      },
    },
  },
  secrets: {
    existing: { trustSecret: 'all-public-keys', lifecycle: { secrets: { keys: 'front-door-keys' } } },
    named: {},
    external: { externalSecrets: { enabled: true, storeName: 'vault' } },
  },
  certificates: { own: {}, certManager: { certManager: { enabled: true, issuerName: 'internal' } } },
  volumes: { kept: {}, none: { persistence: { enabled: false } } },
  components: { outside: {}, within: { components: { enabled: true }, lifecycle: { replicas: 2 } } },
  clusters: { made: {}, own: { inCluster: { enabled: true } } },
  extras: {
    none: {},
    all: {
      commonLabels: { team: 'platform' },
      image: { tag: '90.0.0-rc.1', pullSecrets: [{ name: 'registry' }] },
      lifecycle: {
        image: { digest: `sha256:${'0'.repeat(64)}` },
        issuers: [{ name: 'corporate', issuer: 'https://login.example.com', audiences: ['crate-cli'] }],
        issuersSecret: 'issuers',
        trustedProxies: ['10.0.0.0/8'],
      },
      cloudMgmt: {
        env: { CRATE_TERRAFORM_CONCURRENCY: '4' },
        extraVolumes: [{ name: 'mirror', configMap: { name: 'mirror' } }],
        extraVolumeMounts: [{ name: 'mirror', mountPath: '/etc/mirror', readOnly: true }],
        serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/crate' } },
        tolerations: [{ key: 'platform', operator: 'Exists' }],
        nodeSelector: { pool: 'platform' },
        priorityClassName: 'platform',
      },
      policyMgmt: {
        packArtifacts: ['registry.example.com/policies/bank:1.2'],
        webhook: { enabled: true, host: 'webhook.example.com', clientCaSecret: 'api-servers' },
      },
    },
  },
};

/** Values by what was chosen, such as `postgres=bundled nats=external …`. */
export type Combination = readonly [name: string, values: Values];

/** Few combinations in which every two choices of different kinds meet at least once. The same each time. */
export function combinations(): readonly Combination[] {
  const kinds = Object.keys(CHOICES);
  const missing = new Set(pairsOf(kinds));
  const made: Combination[] = [];
  while (missing.size > 0) {
    const chosen = choose(kinds, missing);
    for (const pair of pairsIn(chosen)) missing.delete(pair);
    const name = [...chosen].map(([kind, choice]) => `${kind}=${choice}`).join(' ');
    made.push([
      name,
      // In the order of the kinds, so that a later one has the last word.
      kinds.reduce<Values>((all, kind) => merged(all, CHOICES[kind]?.[chosen.get(kind) ?? ''] ?? {}), {}),
    ]);
  }
  return made;
}

/** Begins with a pair that is missing, and takes of each further kind what meets most that is missing. */
function choose(kinds: readonly string[], missing: ReadonlySet<string>): ReadonlyMap<string, string> {
  const [first = ''] = missing;
  const begun = new Map(first.split('&').map((part) => part.split('=') as [string, string]));
  for (const kind of kinds.filter((one) => !begun.has(one))) {
    const gains = Object.keys(CHOICES[kind] ?? {}).map((choice) => {
      const pairs = pairsIn(new Map([...begun, [kind, choice]]));
      return { choice, gain: pairs.filter((pair) => missing.has(pair)).length };
    });
    const best = gains.reduce((most, one) => (one.gain > most.gain ? one : most));
    begun.set(kind, best.choice);
  }
  return begun;
}

function pairsOf(kinds: readonly string[]): readonly string[] {
  return kinds.flatMap((one, index) =>
    kinds
      .slice(index + 1)
      .flatMap((other) =>
        Object.keys(CHOICES[one] ?? {}).flatMap((choice) =>
          Object.keys(CHOICES[other] ?? {}).map((second) => pair(`${one}=${choice}`, `${other}=${second}`)),
        ),
      ),
  );
}

function pairsIn(chosen: ReadonlyMap<string, string>): readonly string[] {
  const parts = [...chosen].map(([kind, choice]) => `${kind}=${choice}`);
  return parts.flatMap((one, index) => parts.slice(index + 1).map((other) => pair(one, other)));
}

function pair(one: string, other: string): string {
  return [one, other].sort().join('&');
}

function merged(one: Values, other: Values): Values {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    result[key] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
