import { imageDigestOf, type ReleaseIndex } from '../release/release-index.js';
import type { ComponentsConfig } from './component.config.js';
import { FileInstaller } from './file-installer.js';
import type { Installer } from './installer.js';
import { KubernetesInstaller } from './kubernetes/kubernetes-installer.js';
import { OwnCluster } from './kubernetes/own-cluster.js';

/** Who installs versions here, of `index` where that says more than the version; undefined where that is done from outside. */
export function installerOf(
  { directory, kubernetes }: ComponentsConfig,
  index: () => ReleaseIndex | undefined,
): Installer | undefined {
  if (directory !== undefined) return new FileInstaller(directory);
  if (!kubernetes) return undefined;
  const { host, port, accessDir, namespace, fullname } = kubernetes;
  const own = new OwnCluster({ host, port, directory: accessDir });
  return new KubernetesInstaller({
    ...{ cluster: () => own.current(), namespace, fullname },
    digestOf: (component, version) => imageDigestOf(index(), { component, version }),
  });
}
