import type { ApiRequest } from '../platform/api-client.js';

const APPLY = { method: 'PATCH', contentType: 'application/apply-patch+yaml' } as const;
const METADATA = { name: 'web', namespace: 'default' };
const LABELS = { app: 'web' };
const OF_CONTROLLER = { 'k8s-app': 'aws-cloud-controller-manager' };

export const SERVICE = '/api/v1/namespaces/default/services/web';
export const CLAIM = '/api/v1/namespaces/default/persistentvolumeclaims/data';

/** A workload that has a load balancer and a volume at the provider, with what makes them there. */
export const SHOP: readonly ApiRequest[] = [
  applied('/apis/apps/v1/namespaces/kube-system/daemonsets/aws-cloud-controller-manager', {
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
  }),
  applied('/apis/storage.k8s.io/v1/storageclasses/gp3', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'gp3' },
    provisioner: 'ebs.csi.aws.com',
  }),
  applied(CLAIM, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '10Gi' } } },
  }),
  applied('/apis/apps/v1/namespaces/default/deployments/web', {
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
  }),
  applied(SERVICE, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: METADATA,
    spec: { type: 'LoadBalancer', selector: LABELS, ports: [{ port: 80 }] },
  }),
];

function applied(path: string, body: object): ApiRequest {
  return { ...APPLY, path: `${path}?fieldManager=chaos&force=true`, body };
}
