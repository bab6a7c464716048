/** An object of a cluster, as a person writes it. */
export interface ShopManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const METADATA = { name: 'web', namespace: 'default' };
const OF_CONTROLLER = { 'k8s-app': 'aws-cloud-controller-manager' };
const LABELS = { app: 'web' };

/** A workload that has a load balancer and a volume at the provider, with what makes them there, in the order in which it is applied. */
export const SHOP: readonly ShopManifest[] = [
  // Load balancers of Services are made by what a person installs.
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'aws-cloud-controller-manager', namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: OF_CONTROLLER },
      template: {
        metadata: { labels: OF_CONTROLLER },
        spec: { hostNetwork: true, containers: [{ name: 'controller', image: 'cloud-controller-manager:1' }] },
      },
    },
  },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'gp3' }, provisioner: 'ebs.csi.aws.com' },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '10Gi' } } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: METADATA,
    spec: {
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          containers: [{ name: 'web', image: 'nginx:1' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: METADATA,
    spec: { type: 'LoadBalancer', selector: LABELS, ports: [{ port: 80 }] },
  },
];
