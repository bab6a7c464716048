import { badRequest } from '@crate/errors';
import { parse } from 'yaml';
import { clusterAt } from '../clusters/cluster-at.js';
import type { ClusterOptions } from '../clusters/cluster-options.js';
import { readCliEnvironment } from '../config.js';
import { certificateEnd, compareEnd } from '../kubeconfig/certificate-end.js';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { refuseOther, setWayIn, type Replacing, type WayIn } from '../kubeconfig/way-in.js';
import { cannotWrite } from '../output/out-file.js';
import { writeSecretFile } from '../up/secret-file.js';

interface KubeconfigOptions extends ClusterOptions {
  /** In milliseconds; absent: as long as the platform gives it. */
  readonly expires?: number;
  readonly out?: string;
  readonly merge?: true;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: WayIn<unknown>['cluster'] }];
  readonly users: readonly [{ readonly user: unknown }];
}

export async function runClustersKubeconfig(name: string, options: KubeconfigOptions): Promise<void> {
  const { out, merge, expires } = options;
  if (out !== undefined && merge) throw badRequest('Give -O or --merge, not both');
  const { api, path, namespace } = await clusterAt(name, options);
  const query = expires === undefined ? '' : `?expirationSeconds=${Math.floor(expires / 1000)}`;
  const text = await api.kubeconfig(`${path}/kubeconfig${query}`);
  const until = statedEnd(text, expires);
  if (merge) return mergeInto(readCliEnvironment().kubeconfigs[0] ?? '', `${namespace}-${name}`, { text, until });
  if (out === undefined) return void process.stdout.write(text);
  await writeSecretFile(out, text).catch(cannotWrite(out));
  console.log(`Wrote ${out}; ${until}use it with: kubectl --kubeconfig ${out} get nodes`);
}

/** Until when it is good, to be said before what it is used with. Throws Conflict where that is longer than was asked for. */
function statedEnd(text: string, askedMs: number | undefined): string {
  const end = certificateEnd(text);
  if (!end) return '';
  const warning = askedMs === undefined ? undefined : compareEnd(end, askedMs);
  if (warning !== undefined) console.error(warning);
  return `good until ${end.toISOString()}; `;
}

interface Given {
  readonly text: string;
  readonly until: string;
}

/** The current context stays: it is the one of the platform. */
async function mergeInto(file: string, context: string, { text, until }: Given): Promise<void> {
  const { clusters, users } = parse(text) as Kubeconfig;
  const [{ cluster }, { user }] = [clusters[0], users[0]];
  let former: string | undefined;
  await KubeconfigFile.update(file, (own) => {
    refuseOther(own, merged(context, file));
    former = own.find<WayIn<unknown>['cluster']>('clusters', context)?.server;
    setWayIn(own, context, { cluster, user });
  });
  // Two platforms may each have a cluster of this name: who meant the other one reads it here.
  const instead = former === undefined || former === cluster.server ? '' : `, in place of the one to ${former},`;
  console.log(
    `Added context ${context}${instead} to ${file}; ${until}use it with: kubectl --context ${context} get nodes`,
  );
}

interface CertificateUser {
  readonly 'client-certificate-data'?: string;
  readonly exec?: unknown;
}

/** What an earlier merge wrote, whichever server it leads to: a cluster that is made anew has another one. */
function merged(name: string, file: string): Replacing<CertificateUser> {
  const remove = ['context', 'cluster', 'user'].map(
    (what) => `kubectl --kubeconfig ${file} config delete-${what} ${name}`,
  );
  return {
    name,
    isSame: ({ user, context = { cluster: name, user: name } }) =>
      context.cluster === name &&
      context.user === name &&
      user?.['client-certificate-data'] !== undefined &&
      user.exec === undefined,
    remedy: `write to a file of its own with -O, or remove what is there with: ${remove.join('; ')}`,
  };
}
