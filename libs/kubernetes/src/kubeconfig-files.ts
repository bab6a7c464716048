import { readFile } from 'node:fs/promises';
import { PlatformError } from '@crate/errors';
import type { KubeconfigSource } from './cluster-transport.js';
import { kubeconfigFor, parseKubeconfig } from './kubeconfig.js';

/** What a pod is given to reach the cluster that it runs in. */
export interface ServiceAccountFiles {
  /** `https://host:port`. */
  readonly server: string;
  readonly tokenFile: string;
  readonly caFile: string;
}

const NAME = 'in-cluster';

/**
 * The way in of a pod's ServiceAccount. Its token is replaced before it ends, and its authority may be.
 * Source: https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#launch-a-pod-using-service-account-token-projection
 */
export function serviceAccountSource({ server, tokenFile, caFile }: ServiceAccountFiles): KubeconfigSource {
  return {
    read: async () => {
      const [token, ca] = await Promise.all([textOf(tokenFile), textOf(caFile)]);
      return kubeconfigFor({ name: NAME, server, ca, credentials: { token: token.trim() } });
    },
  };
}

/** The way in of a kubeconfig file that others write, such as that of a cluster on one machine. */
export function kubeconfigFileSource(path: string): KubeconfigSource {
  return { read: async () => parseKubeconfig(await textOf(path)) };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new PlatformError('Unavailable', `The credentials for the cluster cannot be read from ${path}`, {
      cause,
      details: {
        reason: 'CredentialsMissing',
        remedy: 'Have the token of the ServiceAccount mounted into the pod, or name the file where the kubeconfig is',
      },
    });
  }
}
