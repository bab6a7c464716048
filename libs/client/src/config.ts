import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The environment of the process; exec plugins of kubeconfigs get it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The kubeconfig that kubectl would use: the first of `KUBECONFIG`, or the one in the home directory. */
export function defaultKubeconfig(environment = processEnvironment()): string {
  const [first] = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return first ?? join(homedir(), '.kube', 'config');
}
