import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DataDir } from '../up/data-dir.js';

/** Where a bootstrap keeps what it needs to go on, and leaves what people need afterwards. */
export class BootstrapDir {
  readonly root: string;
  /** The temporary platform that makes the one in the cluster. */
  readonly singleton: DataDir;
  /** The temporary platform that takes the one in the cluster away. */
  readonly removal: DataDir;

  constructor(path: string) {
    this.root = resolve(path);
    this.singleton = new DataDir(join(this.root, 'singleton'));
    this.removal = new DataDir(join(this.root, 'removal'));
  }

  /** Which steps of the bootstrap are done. */
  readonly journal = (): string => join(this.root, 'bootstrap.json');
  readonly removalJournal = (): string => join(this.root, 'remove.json');
  /** What the cloud said once everything was taken away. */
  readonly proof = (): string => join(this.root, 'proof.json');
  /** Who works on the directory right now. */
  readonly lock = (): string => join(this.root, 'bootstrap.pid');
  /** Everything secret of the release in the cluster. */
  readonly releaseSecrets = (): string => join(this.root, 'release-secrets.json');
  /** Of the chart in the cluster. */
  readonly values = (): string => join(this.root, 'release-values.yaml');
  /** Of the database of the platform in the cluster, as its owner. */
  readonly databaseUrl = (): string => join(this.root, 'platform-database-url');
  /** Everything secret of the servers that the platform brings along. */
  readonly serverSecrets = (): string => join(this.root, 'server-secrets.json');
  /** Of those servers: whom to trust. */
  readonly serversCa = (): string => join(this.root, 'servers-ca.crt');
  readonly serviceSettings = (): string => join(this.root, 'service-settings.env');
  /** Key-encryption keys of the platform in the cluster, a directory for each service. */
  readonly keys = (): string => join(this.root, 'keys');
  /** Of the cluster that the platform runs in. */
  readonly clusterKubeconfig = (): string => join(this.root, 'cluster.kubeconfig');
  /** Of the platform itself, as its first administrator. */
  readonly adminKubeconfig = (): string => join(this.root, 'admin.kubeconfig');

  /** Takes away all that lets somebody in here or elsewhere, but for what temporary platforms keep. Idempotent. */
  async forgetSecrets(): Promise<void> {
    const ofRelease = [this.keys(), this.releaseSecrets(), this.serverSecrets(), this.serversCa(), this.databaseUrl()];
    for (const path of [...ofRelease, this.clusterKubeconfig(), this.adminKubeconfig()]) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
