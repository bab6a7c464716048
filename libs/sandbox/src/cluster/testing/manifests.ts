import type { Manifest } from '@crate/api';

const LABELS = { app: 'web' };

/** A small web site: its page, the pods that serve it, and the service before them. */
export function aConfigMap(): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'site' }, data: { 'index.html': '<h1>Hello</h1>' } };
}

export function aDeployment(
  spec: Readonly<Record<string, unknown>> = {},
  podSpec: Readonly<Record<string, unknown>> = {},
): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          containers: [
            {
              name: 'nginx',
              image: 'nginx:1.27',
              ports: [{ name: 'http', containerPort: 80 }],
              volumeMounts: [{ name: 'site', mountPath: '/usr/share/nginx/html' }],
            },
          ],
          volumes: [{ name: 'site', configMap: { name: 'site' } }],
          ...podSpec,
        },
      },
      ...spec,
    },
  };
}

export function aService(): Manifest {
  const spec = { selector: LABELS, ports: [{ port: 80, targetPort: 'http' }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
}

export function inNamespace(namespace: string, manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata, namespace } }));
}
