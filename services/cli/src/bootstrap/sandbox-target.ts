import { NAMESPACE, RELEASE } from '@crate/helm-chart';
import type { TargetCluster } from '@crate/kubernetes';
import { answersOk } from '../up/node-program.js';
import { refusal } from './refusal.js';
import type { BootstrapRequest } from './request.js';
import { BootstrapTarget, type ApiPlace } from './target.js';

/** Port of the API in its pod. */
const API_PORT = 6440;

/** A simulated cloud that somebody else runs: it has to outlive the singleton. */
export class SandboxTarget extends BootstrapTarget {
  readonly provider = 'sandbox-aws';
  readonly credentials = undefined;
  readonly serviceSettings = {};
  readonly loadBalancerPorts = [];
  readonly storageClass = 'crate';
  /** Its clusters have the driver, as those of the cloud would once somebody installed it. */
  readonly objects = [
    {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
      // The default one, since claims of the chart name none.
      metadata: { name: this.storageClass, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      ...{ provisioner: 'ebs.csi.aws.com', volumeBindingMode: 'WaitForFirstConsumer' },
    },
  ];

  constructor(private readonly request: BootstrapRequest) {
    super();
  }

  get upArguments(): readonly string[] {
    return ['--sandbox-url', this.request.sandboxUrl ?? ''];
  }

  /** Everything there is on this machine. */
  chartValues(): Readonly<Record<string, unknown>> {
    return {};
  }

  async check(): Promise<void> {
    const { sandboxUrl } = this.request;
    if (sandboxUrl !== undefined && (await answersOk(`${sandboxUrl}/v1/latency`))) return;
    throw refusal({
      reason: 'SandboxMissing',
      message: sandboxUrl === undefined ? 'No simulated cloud is named' : `No simulated cloud answers at ${sandboxUrl}`,
      remedy: 'Start one with "crate sandbox serve", and give its URL with --sandbox-url',
      code: 'Unavailable',
    });
  }

  /** Nobody knows the address of a pod before it is there. */
  apiNames(): readonly string[] {
    return [];
  }

  /** Pods of simulated clusters have addresses of this machine. */
  async findApi(cluster: TargetCluster): Promise<ApiPlace | undefined> {
    const pod = await cluster.find({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `${RELEASE}-lifecycle-0`,
      namespace: NAMESPACE,
    });
    const host = (pod?.['status'] as { podIP?: string } | undefined)?.podIP;
    return host === undefined ? undefined : { host, port: API_PORT };
  }
}
