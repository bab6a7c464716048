import { isTemporaryAccessKey } from '@crate/api';
import { NAMESPACE, RELEASE } from '@crate/helm-chart';
import type { TargetCluster } from '@crate/kubernetes';
import { refusal } from './refusal.js';
import { PLATFORM_PROJECT, type BootstrapRequest } from './request.js';
import { BootstrapTarget, type ApiPlace, type CloudCredentials } from './target.js';

const HTTPS = 443;
/**
 * Of those that Kubernetes gives nobody who does not ask for them, as long as there are others.
 * Source: https://kubernetes.io/docs/concepts/services-networking/service/#avoid-nodeport-collisions
 */
const NODE_PORT = 30_043;

interface ApiService {
  readonly spec?: { readonly ports?: readonly { readonly nodePort?: number }[] };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[] };
  };
}

/** An account of AWS. The platform is reached by the load balancer of its cluster, since nothing there makes another. */
export class AwsTarget extends BootstrapTarget {
  readonly provider = 'aws';

  constructor(
    private readonly request: BootstrapRequest,
    readonly credentials: CloudCredentials | undefined,
  ) {
    super();
  }

  readonly upArguments = [];
  readonly objects = [];
  readonly storageClass = undefined;
  readonly loadBalancerPorts = [{ port: HTTPS, nodePort: NODE_PORT }];

  get serviceSettings(): Readonly<Record<string, string>> {
    const { rke, managementNetworks } = this.request;
    const { lifecycle, cloudMgmt } = this.metering;
    return {
      ...lifecycle,
      ...cloudMgmt,
      CRATE_MANAGEMENT_CIDRS: managementNetworks.join(),
      ...(rke === undefined ? {} : { CRATE_RKE_BINARY: rke }),
    };
  }

  /** The platform manages clusters from where its own comes from, and that one by its public addresses, too. */
  chartValues(egressAddresses: readonly string[]): Readonly<Record<string, unknown>> {
    const { managementNetworks } = this.request;
    const { lifecycle, cloudMgmt } = this.metering;
    const own = egressAddresses.map((address) => `${address}/32`);
    return {
      // The ranges are for who has the Service be of another type: that is not to open it to more.
      service: { type: 'NodePort', nodePort: NODE_PORT, loadBalancerSourceRanges: managementNetworks },
      lifecycle: { env: lifecycle },
      cloudMgmt: { env: cloudMgmt, managementCidrs: [...new Set([...managementNetworks, ...own])] },
    };
  }

  /** What services are told where Crate was bought at AWS Marketplace; nothing elsewhere. */
  private get metering(): Readonly<Record<'lifecycle' | 'cloudMgmt', Readonly<Record<string, string>>>> {
    const { marketplaceProductCode, region, name } = this.request;
    if (marketplaceProductCode === undefined) return { lifecycle: {}, cloudMgmt: {} };
    return {
      lifecycle: { CRATE_MARKETPLACE_PRODUCT_CODE: marketplaceProductCode, CRATE_MARKETPLACE_REGION: region },
      cloudMgmt: { CRATE_METERED_CLUSTER: `${PLATFORM_PROJECT}/${name}` },
    };
  }

  check(): Promise<void> {
    const missing = this.missing();
    return missing ? Promise.reject(missing) : Promise.resolve();
  }

  /** One load balancer has both. */
  apiNames(clusterHost: string): readonly string[] {
    return [clusterHost];
  }

  /** A Service of another type, by the values of somebody who has what makes load balancers, has an address of its own. */
  async findApi(cluster: TargetCluster, clusterHost: string): Promise<ApiPlace | undefined> {
    const ref = { apiVersion: 'v1', kind: 'Service', name: `${RELEASE}-api`, namespace: NAMESPACE };
    const { spec, status } = ((await cluster.find(ref)) ?? {}) as ApiService;
    if (spec?.ports?.some(({ nodePort }) => nodePort === NODE_PORT)) return { host: clusterHost, port: HTTPS };
    const [first] = status?.loadBalancer?.ingress ?? [];
    const host = first?.hostname ?? first?.ip;
    return host === undefined ? undefined : { host, port: HTTPS };
  }

  private missing(): Error | undefined {
    if (!this.credentials) {
      return refusal({
        reason: 'CredentialsMissing',
        message: 'There is no access key for the account',
        remedy: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; docs/aws-accounts.md says what the key must allow',
      });
    }
    if (isTemporaryAccessKey(this.credentials.accessKeyId)) {
      return refusal({
        reason: 'CredentialsTemporary',
        message: 'AWS_ACCESS_KEY_ID is of temporary credentials (ASIA…), which end within hours',
        remedy: 'Set the access key of a user (AKIA…); docs/aws-accounts.md says how to make one',
      });
    }
    if (this.request.rke === undefined) {
      return refusal({
        reason: 'RkeMissing',
        message: 'The engine rke is not in PATH',
        remedy: 'Install it, or say where it is with --rke',
      });
    }
    if (this.request.managementNetworks.length === 0) {
      return refusal({
        reason: 'NetworksMissing',
        message: 'It is not said who may reach the platform and its cluster',
        remedy: 'Name the networks with --management-networks, that of this machine among them',
      });
    }
    // A cluster in AWS comes with what makes volumes; whether it has a class is looked at once it is there.
    return undefined;
  }
}
