import { stringify } from 'yaml';

/** A kind of cloud-mgmt's, which the front door reaches over NATS. */
export function anAccount(name: string, labels: Record<string, string> = {}): Document {
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: named(name, labels),
    spec: { provider: 'sandbox-aws', accountId: '111122223333' },
  };
}

/** The same with credentials, which nobody is shown. */
export function anAccountWithKeys(secretAccessKey: string): Document {
  const { spec, ...account } = anAccount('with-keys');
  return { ...account, spec: { ...spec, credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey } } };
}

/** A kind of lifecycle's own with a value in it that nobody is shown. Paused, so that nothing is sent. */
export function aChannel(value: string): Document {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'NotificationChannel',
    metadata: { name: 'alerts' },
    spec: {
      type: 'webhook',
      paused: true,
      webhook: { url: 'https://hooks.example.org/crate', headers: [{ name: 'Authorization', value }] },
    },
  };
}

/** A kind of lifecycle's own. Paused, so that nothing is built for it. */
export function aCluster(
  name: string,
  { labels = {}, spec = {} }: { readonly labels?: Record<string, string>; readonly spec?: object } = {},
): Document {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: named(name, labels),
    spec: {
      paused: true,
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { engine: 'rke', version: 'v1.31.4' },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.large' }],
      ...spec,
    },
  };
}

/** A class with one parameter, `workers`, that says all but account and region. */
export function aClass(name: string): Document {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'ClusterClass',
    metadata: { name },
    spec: {
      parameters: { type: 'object', properties: { workers: { type: 'integer', default: 2 } } },
      template: {
        kubernetes: { version: 'v1.31.4' },
        controlPlane: { replicas: 1 },
        nodePools: [{ name: 'workers', replicas: '${params.workers}', machineType: 'm5.large' }],
      },
    },
  };
}

function named(name: string, labels: Record<string, string>): Document['metadata'] {
  return Object.keys(labels).length === 0 ? { name } : { name, labels };
}

/** Documents one after the other, as a file has them. */
export function inOneFile(...documents: readonly Document[]): string {
  return documents.map((document) => stringify(document)).join('---\n');
}

/** An object as a person writes it. */
export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> } & Record<string, unknown>;
  readonly spec: object;
}
