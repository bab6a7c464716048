import { createPublicKey } from 'node:crypto';
import { badRequest } from '@crate/errors';
import { NAMESPACE, RELEASE } from '@crate/helm-chart';
import { readGivenText } from '../output/in-file.js';
import { refusal } from './refusal.js';
import type { BootstrapRequest } from './request.js';

const KEYS = `${RELEASE}-release-keys`;
const KEY_FILE = 'release.pub';
const KEYS_DIRECTORY = '/etc/crate/release-keys';

/** Values of the chart: where newer versions are known from, and whether the platform may install them. */
export function upgradeValues({ releasesIndex, selfUpgrade }: BootstrapRequest): Readonly<Record<string, unknown>> {
  if (releasesIndex === undefined) return {};
  return {
    ...(selfUpgrade ? { components: { enabled: true } } : {}),
    lifecycle: {
      env: {
        CRATE_RELEASES_INDEX: releasesIndex,
        CRATE_RELEASES_PUBLIC_KEY_FILES: `${KEYS_DIRECTORY}/${KEY_FILE}`,
      },
      extraVolumes: [{ name: KEYS, configMap: { name: KEYS } }],
      extraVolumeMounts: [{ name: KEYS, mountPath: KEYS_DIRECTORY, readOnly: true }],
    },
  };
}

/**
 * The object that has the key which the index is signed with; none where no index is named. Throws Conflict (`ReleasesMissing`) for an index
 * without its key and the like, and BadRequest for a file that is no public key.
 */
export async function releaseKeys(request: BootstrapRequest): Promise<readonly object[]> {
  const { releasesIndex, releasesPublicKeyFile: file, selfUpgrade } = request;
  if ((releasesIndex === undefined) !== (file === undefined) || (selfUpgrade && file === undefined)) throw missing();
  if (file === undefined) return [];
  const metadata = { name: KEYS, namespace: NAMESPACE };
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [KEY_FILE]: await readPublicKey(file) } }];
}

/** Never more than that: Node makes a public key of a private one as well, and of one with a private key behind it, which would lie in the cluster then. */
async function readPublicKey(file: string): Promise<string> {
  const text = await readGivenText(file);
  try {
    if (text.startsWith('-----BEGIN PUBLIC KEY-----'))
      return createPublicKey(text).export({ type: 'spki', format: 'pem' }) as string;
  } catch {
    // Told below, and without what is in it.
  }
  throw badRequest(`${file} has no public key: write the PEM that releases are published with`);
}

function missing(): Error {
  return refusal({
    reason: 'ReleasesMissing',
    message: 'An index of releases needs --releases-index and --releases-public-key, and --self-upgrade needs both',
    remedy: 'Give both, or neither, where nobody is to know of newer versions',
  });
}
