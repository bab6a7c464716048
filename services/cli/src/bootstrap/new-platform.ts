import { readFile } from 'node:fs/promises';
import { PLATFORM_STATUS_PATH, type PlatformStatus } from '@crate/api';
import { NAMESPACE, RELEASE, type ReleaseSecrets } from '@crate/helm-chart';
import { hasCode } from '@crate/errors';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { ApiClient } from '../client/api-client.js';
import { isReady } from '../platform/platform-text.js';
import { ADMIN, renderKubeconfig } from '../up/kubeconfig.js';
import { waitUntil } from '../up/wait.js';
import { clusterHost } from './cluster-host.js';
import { refusal } from './refusal.js';
import { adminTokenOf, getReleaseSecrets } from './release-secrets.js';
import type { BootstrapScope } from './scope.js';

/** Name that the API has in its cluster, and in its certificate. */
const API_NAME = `${RELEASE}-api.${NAMESPACE}.svc`;

/** The platform in the cluster, as its first administrator reaches it. */
export interface NewPlatform {
  readonly url: string;
  readonly api: ApiClient;
  readonly kubeconfig: string;
}

/** Works with the API of the platform cluster. */
export async function withCluster<T>(
  { dir }: Pick<BootstrapScope, 'dir'>,
  work: (cluster: TargetCluster) => Promise<T>,
): Promise<T> {
  const cluster = new HttpTargetCluster(await readFile(dir.clusterKubeconfig(), 'utf8'));
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}

/** Throws Unavailable (`NoAddress`) when it has no address within the time that was given. */
export async function getPlatform(scope: BootstrapScope): Promise<NewPlatform> {
  const secrets = await getReleaseSecrets(scope.dir);
  return withCluster(scope, async (cluster) => {
    let found: NewPlatform | undefined;
    const host = await clusterHost(scope.dir);
    const isFound = async (): Promise<boolean> => {
      const place = await scope.target.findApi(cluster, host);
      if (place) found = platformAt(`https://${place.host}:${place.port}`, secrets);
      return found !== undefined;
    };
    if (!(await isFound())) scope.say('Waiting for an address of the API of the platform in the cluster');
    await waitUntil(isFound, scope.request.timeoutMs);
    if (found) return found;
    throw refusal({
      reason: 'NoAddress',
      message: 'The API of the platform has no address',
      remedy: `See kubectl --kubeconfig ${scope.dir.clusterKubeconfig()} -n ${NAMESPACE} get services,pods`,
      code: 'Unavailable',
    });
  });
}

/** Waits until the platform says of itself that all its services are ready. Throws Timeout (`NotWell`), and Conflict (`TokenRefused`) at once. */
export async function untilWell(scope: BootstrapScope, platform: NewPlatform): Promise<void> {
  let last = '';
  // It may take an hour: whoever waits sees what for.
  const note = (now: string): void => {
    if (now !== last) scope.say(`Waiting for the platform in the cluster: ${now}`);
    last = now;
  };
  const isWell = async (): Promise<boolean> => {
    try {
      const status = await platform.api.get<PlatformStatus>(PLATFORM_STATUS_PATH);
      if (isReady(status)) return true;
      note(status.services.map(({ name, state }) => `${name} ${state}`).join(', '));
    } catch (error) {
      if (hasCode(error, 'Unauthenticated')) throw tokenRefused(error as Error);
      note((error as Error).message);
    }
    return false;
  };
  if (await waitUntil(isWell, scope.request.timeoutMs)) return;
  throw refusal({
    reason: 'NotWell',
    message: `The platform in the cluster does not become ready: ${last}`,
    remedy: `See kubectl --kubeconfig ${scope.dir.clusterKubeconfig()} -n ${NAMESPACE} get pods; then run the command again`,
    code: 'Timeout',
  });
}

function platformAt(url: string, secrets: ReleaseSecrets): NewPlatform {
  const { ca = '' } = secrets;
  const token = adminTokenOf(secrets);
  const kubeconfig = renderKubeconfig({ server: url, tlsServerName: API_NAME, ca, token, user: ADMIN });
  return { url, kubeconfig, api: new ApiClient({ server: url, servername: API_NAME, ca, token }) };
}

/** Of a bootstrap that an older release began, more than a week ago; or somebody has put other Secrets in the place of its own. */
function tokenRefused(cause: Error): Error {
  return refusal({
    reason: 'TokenRefused',
    message: `The platform in the cluster does not let its first administrator in: ${cause.message}`,
    remedy:
      'Take it away: with --rollback, or where that says HasMoved with "crate remove", with --kubeconfig as somebody who can sign in',
    cause,
  });
}
