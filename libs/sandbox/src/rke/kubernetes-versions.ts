import { SUPPORTED_KUBERNETES_VERSIONS } from '@crate/api';

/** Version the executable reports of itself. */
export const RKE_VERSION = 'v1.8.3';

const RELEASE = '-rancher1-1';

/** Versions this engine brings up, newest first, in the engine's spelling. */
export const RKE_KUBERNETES_VERSIONS: readonly string[] = SUPPORTED_KUBERNETES_VERSIONS.rke.map(
  (version) => `${version}${RELEASE}`,
);

/** `v1.31.4` for `v1.31.4-rancher1-1`. */
export function upstreamVersion(version: string): string {
  return version.replace(/-rancher\d+-\d+$/, '');
}
