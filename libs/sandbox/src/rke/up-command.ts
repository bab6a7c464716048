import type { PreviousNode, RunEvent, UpRequest } from '../cluster/rke-protocol.js';
import { camelCaseKeys } from './camel-case-keys.js';
import { ensureCertificates, expiredServerCertificate, type CertificateBundle } from './certificates.js';
import type { ClusterConfig } from './cluster-config.js';
import { adminKubeConfig } from './kube-config.js';
import { RKE_VERSION, upstreamVersion } from './kubernetes-versions.js';
import { readClusterConfig } from './read-cluster-config.js';
import type { RkeLog } from './rke-log.js';
import { RkeError } from './rke-error.js';
import type { RunClient } from './run-client.js';
import { SshLogin } from './ssh-login.js';
import {
  engineFiles,
  readState,
  writePrivateFile,
  writeState,
  type EngineFiles,
  type FullState,
} from './state-file.js';

/** `rke up`: brings the hosts of the configuration to what it says. May be killed at any point and run again. */
export class UpCommand {
  constructor(
    private readonly sandbox: RunClient,
    private readonly log: RkeLog,
  ) {}

  /** Throws RkeError when the cluster could not be built. */
  async run(configPath: string, isUpdateOnly: boolean): Promise<void> {
    this.log.info(`Running RKE version: ${RKE_VERSION}`);
    const config = await readClusterConfig(configPath);
    const files = engineFiles(configPath);
    const state = await this.initiate(config, files);
    const certificates = state.desiredState.certificatesBundle as CertificateBundle;

    this.log.info('Building Kubernetes cluster');
    const login = await new SshLogin(config).answer(await this.sandbox.challenge());
    const expired = await expiredServerCertificate(certificates);
    const request = { ...upRequestOf(config, certificates, state, expired), ...login, isUpdateOnly };
    for await (const event of this.sandbox.run('/v1/clusters/up', request satisfies UpRequest)) {
      await this.follow(event, config, state, files);
    }
    this.log.info('Finished building Kubernetes cluster successfully');
  }

  /** Makes what is missing and writes it down before any host is touched, so that a second run finds the same keys. */
  private async initiate(config: ClusterConfig, files: EngineFiles): Promise<FullState> {
    this.log.info('Initiating Kubernetes cluster');
    const before = await readState(files.state);
    const certificates = await ensureCertificates(config, before?.desiredState.certificatesBundle, this.log);
    const state: FullState = {
      desiredState: { rkeConfig: storedConfig(config), certificatesBundle: certificates },
      currentState: before?.currentState ?? {},
    };
    await this.saveState(files, state);
    return state;
  }

  private async follow(event: RunEvent, config: ClusterConfig, state: FullState, files: EngineFiles): Promise<void> {
    if (event.event === 'log') {
      this.log[event.level](event.message);
      return;
    }
    if (event.event === 'certificatesDeployed') {
      const certificates = state.desiredState.certificatesBundle as CertificateBundle;
      this.log.info('[reconcile] Rebuilding and updating local kube config');
      await writePrivateFile(files.kubeConfig, adminKubeConfig(config, certificates));
      this.log.info(`Successfully Deployed local admin kubeconfig at [${files.kubeConfig}]`);
      return;
    }
    if (event.event === 'controlPlaneDeployed') {
      await this.saveState(files, { ...state, currentState: without(state.desiredState, event.leftOut) });
    }
  }

  private async saveState(files: EngineFiles, state: FullState): Promise<void> {
    await writeState(files.state, state);
    this.log.info(`Successfully Deployed state file at [${files.state}]`);
  }
}

/** Hosts that could not be reached are no part of what there is. */
function without(wanted: FullState['desiredState'], leftOut: readonly string[]): FullState['currentState'] {
  const { rkeConfig } = wanted;
  if (!rkeConfig?.nodes) return wanted;
  const nodes = rkeConfig.nodes.filter(({ address }) => !leftOut.includes(address));
  return { ...wanted, rkeConfig: { ...rkeConfig, nodes } };
}

type StateNode = NonNullable<NonNullable<FullState['currentState']['rkeConfig']>['nodes']>[number];

type ConfigPart = Omit<UpRequest, 'challenge' | 'bastion' | 'nodes' | 'isUpdateOnly'>;

function upRequestOf(
  config: ClusterConfig,
  certificates: CertificateBundle,
  state: FullState,
  expired: string,
): ConfigPart {
  const { services, network, ingress, monitoring, upgrade_strategy: strategy } = config;
  const previous = state.currentState.rkeConfig?.nodes;
  return {
    clusterName: config.cluster_name,
    kubernetesVersion: upstreamVersion(config.kubernetes_version),
    network: {
      plugin: network.plugin,
      podCidr: services['kube-controller'].cluster_cidr,
      serviceCidr: services['kube-api'].service_cluster_ip_range,
      dnsServer: services.kubelet.cluster_dns_server,
      domain: services.kubelet.cluster_domain,
    },
    ingress: ingress.provider,
    monitoring: monitoring.provider,
    addons: config.addons,
    certificates: {
      ca: pem(certificates, 'kube-ca').certificatePEM,
      serverCertificate: pem(certificates, 'kube-apiserver').certificatePEM,
      serverKey: pem(certificates, 'kube-apiserver').keyPEM,
      expiredServerCertificate: expired,
      serviceAccountKey: pem(certificates, 'kube-service-account-token').keyPEM,
    },
    upgrade: {
      maxUnavailable: { worker: strategy.max_unavailable_worker, controlplane: strategy.max_unavailable_controlplane },
      drain: strategy.drain,
    },
    ...(previous === undefined ? {} : { previousNodes: previous.map(previousNode) }),
  };
}

function previousNode({ address, role, labels, taints }: StateNode): PreviousNode {
  const previousTaints = (taints ?? []).map(({ key, value, effect }) => ({
    key,
    effect,
    ...(value === undefined ? {} : { value }),
  }));
  return { address, roles: role, labels: labels ?? {}, taints: previousTaints };
}

function pem(certificates: CertificateBundle, name: string): CertificateBundle[string] {
  const found = certificates[name];
  if (!found) throw new RkeError(`Certificates are not present in cluster state, recover rkestate file: ${name}`);
  return found;
}

/** The configuration as the state file keeps it, without private keys given in line. */
function storedConfig(config: ClusterConfig): NonNullable<FullState['desiredState']['rkeConfig']> {
  const nodes = config.nodes.map(({ ssh_key: _, ...node }) => node);
  return camelCaseKeys({ ...config, nodes }) as NonNullable<FullState['desiredState']['rkeConfig']>;
}
