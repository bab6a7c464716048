import type { Manifest } from '@crate/api';
import type { UpRequest } from '../rke-protocol.js';

/** One of the engine's own add-ons. */
export interface SystemComponent {
  readonly logStart: string;
  readonly job: string;
  readonly logEnd: string;
  readonly manifests: readonly Manifest[];
}

const EVERYWHERE = [{ operator: 'Exists' }];
const RBAC = 'rbac.authorization.k8s.io';

/** What the engine installs after the planes are up, in its order. */
export function systemComponents({ network, monitoring, ingress }: UpRequest): readonly SystemComponent[] {
  return [
    ...(network.plugin === 'none' ? [] : [networkPlugin(network.plugin)]),
    coreDns(network.dnsServer, network.domain),
    ...(monitoring === 'none' ? [] : [metricsServer()]),
    ...(ingress === 'none' ? [] : [nginxIngress()]),
  ];
}

function networkPlugin(plugin: string): SystemComponent {
  const containers = [
    { name: `calico-node`, image: 'rancher/mirrored-calico-node:v3.29.2' },
    { name: 'kube-flannel', image: 'rancher/mirrored-flannel-flannel:v0.26.4' },
  ];
  const spec = { hostNetwork: true, tolerations: EVERYWHERE, priorityClassName: 'system-node-critical', containers };
  return {
    logStart: `[network] Setting up network plugin: ${plugin}`,
    job: 'rke-network-plugin',
    logEnd: `[network] Network plugin ${plugin} deployed successfully`,
    manifests: [
      serviceAccount(plugin),
      clusterRole(plugin, [
        { apiGroups: [''], resources: ['nodes', 'pods', 'namespaces'], verbs: ['get', 'list', 'watch', 'patch'] },
      ]),
      clusterRoleBinding(plugin, plugin),
      workload('DaemonSet', plugin, { 'k8s-app': plugin }, {}, { ...spec, serviceAccountName: plugin }),
    ],
  };
}

function coreDns(clusterIP: string, domain: string): SystemComponent {
  const labels = { 'k8s-app': 'kube-dns' };
  const corefile = `.:53 {\n    errors\n    health\n    ready\n    kubernetes ${domain} in-addr.arpa ip6.arpa\n    forward . "/etc/resolv.conf"\n    cache 30\n    loop\n    reload\n}\n`;
  const ports = [
    { containerPort: 53, name: 'dns', protocol: 'UDP' },
    { containerPort: 53, name: 'dns-tcp', protocol: 'TCP' },
  ];
  return {
    logStart: '[addons] Setting up coredns',
    job: 'rke-coredns-addon',
    logEnd: '[addons] CoreDNS deployed successfully',
    manifests: [
      serviceAccount('coredns'),
      manifest('v1', 'ConfigMap', 'coredns', { data: { Corefile: corefile } }),
      workload(
        'Deployment',
        'coredns',
        labels,
        { replicas: 1 },
        {
          serviceAccountName: 'coredns',
          priorityClassName: 'system-cluster-critical',
          tolerations: EVERYWHERE,
          containers: [
            {
              name: 'coredns',
              image: 'rancher/mirrored-coredns-coredns:1.11.3',
              ports,
              resources: { requests: { cpu: '100m', memory: '70Mi' }, limits: { memory: '170Mi' } },
            },
          ],
        },
      ),
      manifest('v1', 'Service', 'kube-dns', {
        spec: {
          selector: labels,
          clusterIP,
          ports: ports.map(({ name, protocol }) => ({ name, port: 53, protocol, targetPort: 53 })),
        },
      }),
    ],
  };
}

function metricsServer(): SystemComponent {
  const labels = { 'k8s-app': 'metrics-server' };
  return {
    logStart: '[addons] Setting up Metrics Server',
    job: 'rke-metrics-addon',
    logEnd: '[addons] Metrics Server deployed successfully',
    manifests: [
      serviceAccount('metrics-server'),
      workload(
        'Deployment',
        'metrics-server',
        labels,
        { replicas: 1 },
        {
          serviceAccountName: 'metrics-server',
          priorityClassName: 'system-cluster-critical',
          tolerations: EVERYWHERE,
          containers: [{ name: 'metrics-server', image: 'rancher/mirrored-metrics-server:v0.7.2' }],
        },
      ),
      manifest('v1', 'Service', 'metrics-server', {
        spec: { selector: labels, ports: [{ port: 443, protocol: 'TCP', targetPort: 4443 }] },
      }),
    ],
  };
}

function nginxIngress(): SystemComponent {
  const namespace = 'ingress-nginx';
  const name = 'nginx-ingress-controller';
  const image = 'rancher/nginx-ingress-controller:nginx-1.11.5-rancher1';
  const spec = { hostNetwork: true, tolerations: EVERYWHERE, containers: [{ name: 'controller', image }] };
  return {
    logStart: '[ingress] Setting up nginx ingress controller',
    job: 'rke-ingress-controller',
    logEnd: '[ingress] ingress controller nginx deployed successfully',
    manifests: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      manifest('networking.k8s.io/v1', 'IngressClass', 'nginx', { spec: { controller: 'k8s.io/ingress-nginx' } }, ''),
      workload('DaemonSet', name, { app: 'ingress-nginx' }, {}, spec, namespace),
    ],
  };
}

function workload(
  kind: 'Deployment' | 'DaemonSet',
  name: string,
  labels: Readonly<Record<string, string>>,
  ...[extra, podSpec, namespace]: [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, string?]
): Manifest {
  const spec = { ...extra, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
  return manifest('apps/v1', kind, name, { spec }, namespace);
}

function serviceAccount(name: string): Manifest {
  return manifest('v1', 'ServiceAccount', name, {});
}

function clusterRole(name: string, rules: readonly unknown[]): Manifest {
  return manifest(`${RBAC}/v1`, 'ClusterRole', name, { rules }, '');
}

function clusterRoleBinding(name: string, account: string): Manifest {
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }];
  return manifest(
    `${RBAC}/v1`,
    'ClusterRoleBinding',
    name,
    { subjects, roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name } },
    '',
  );
}

/** `namespace` is empty for cluster-scoped kinds. */
function manifest(
  apiVersion: string,
  kind: string,
  name: string,
  ...[body, namespace = 'kube-system']: [Readonly<Record<string, unknown>>, string?]
): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === '' ? {} : { namespace }) }, ...body };
}
