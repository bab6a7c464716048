import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable } from '@crate/errors';
import { formatKubeconfig, HttpTargetCluster, kubeconfigFor, type TargetCluster } from '@crate/kubernetes';

export interface OwnClusterOptions {
  readonly host: string;
  readonly port: number;
  /** With `token` and `ca.crt`, which the kubelet replaces before they end. */
  readonly directory: string;
}

/** The API of the cluster that this process runs in, as the account of its pod. */
export class OwnCluster {
  private open: { readonly kubeconfig: string; readonly cluster: TargetCluster } | undefined;

  constructor(private readonly options: OwnClusterOptions) {}

  /** With the token as it is now. Throws Unavailable when there is none. */
  async current(): Promise<TargetCluster> {
    const kubeconfig = await this.kubeconfig();
    if (this.open?.kubeconfig !== kubeconfig) {
      // One with the token from before may still be asked; its connections end by themselves when nobody uses them.
      this.open = { kubeconfig, cluster: new HttpTargetCluster(kubeconfig) };
    }
    return this.open.cluster;
  }

  private async kubeconfig(): Promise<string> {
    const { host, port, directory } = this.options;
    const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    try {
      const token = await readFile(join(directory, 'token'), 'utf8');
      const ca = await readFile(join(directory, 'ca.crt'), 'utf8');
      return formatKubeconfig(kubeconfigFor({ name: 'own', server, ca, credentials: { token: token.trim() } }));
    } catch (error) {
      throw unavailable(`There is no token of the cluster's API in ${directory}: ${(error as Error).message}`, error);
    }
  }
}
