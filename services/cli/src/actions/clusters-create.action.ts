import { CLOUD_ACCOUNT, apiVersionOf, type CloudAccount, type KubeList, type KubeObject } from '@crate/api';
import { badRequest, isPlatformError, PlatformError } from '@crate/errors';
import { clusterDocument } from '../clusters/cluster-document.js';
import type { ClusterWish } from '../clusters/cluster-wish.js';
import { clusterAt, type ClusterAt } from '../clusters/cluster-at.js';
import type { ClusterOptions } from '../clusters/cluster-options.js';
import { untilReadyOrLeft } from '../clusters/until-ready.js';
import { withoutManagedFields } from '../objects/object-output.js';
import { dataText } from '../output/print.js';

interface CreateOptions extends ClusterOptions, ClusterWish {
  readonly provider?: string;
  readonly dryRun?: 'server' | 'client';
  readonly output?: 'json' | 'yaml';
  readonly wait?: true;
  readonly timeout: number;
}

/** Which option says what the API misses. */
const OPTION_OF: Readonly<Record<string, string>> = {
  'spec.accountRef': '--account',
  'spec.region': '--region',
  'spec.kubernetes': '--version',
};

export async function create(name: string, options: CreateOptions): Promise<void> {
  const cluster = await clusterAt(name, options);
  const account = options.account ?? (await accountOf(cluster, options.provider));
  const document = clusterDocument(name, cluster.namespace, {
    ...options,
    ...(account === undefined ? {} : { account }),
  });
  if (options.dryRun === 'client') return void process.stdout.write(dataText(options.output ?? 'yaml', document));
  const query = `?fieldManager=crate-cli${options.dryRun ? '&dryRun=All' : ''}`;
  const collection = cluster.path.slice(0, cluster.path.lastIndexOf('/'));
  const made = await cluster.api.create<KubeObject>(`${collection}${query}`, document).catch(withOptions);
  if (options.output) process.stdout.write(dataText(options.output, withoutManagedFields(made)));
  else console.log(`Cluster "${name}" ${options.dryRun ? 'could be created (dry run)' : 'is being created'}`);
  if (options.dryRun || !options.wait) return;
  await untilReadyOrLeft(cluster, options.timeout);
  const line = `crate clusters kubeconfig ${name} -n ${cluster.namespace}${cluster.apiFlags}`;
  console.log(`Cluster "${name}" is Ready; its kubeconfig: ${line}`);
}

/** The only account, of a provider where one is named; undefined leaves it to the Project. Throws BadRequest. */
async function accountOf({ api, namespace }: ClusterAt, provider: string | undefined): Promise<string | undefined> {
  const path = `/apis/${apiVersionOf(CLOUD_ACCOUNT)}/namespaces/${encodeURIComponent(namespace)}/${CLOUD_ACCOUNT.plural}`;
  const { items } = await api.get<KubeList<CloudAccount>>(path);
  const fitting = items.filter(({ spec }) => provider === undefined || spec.provider === provider);
  const [only, ...more] = fitting;
  if (only && more.length === 0) return only.metadata.name;
  if (provider === undefined) return undefined;
  const known = items.map(({ metadata, spec }) => `${metadata.name} (${spec.provider})`).join(', ') || 'none';
  const what = fitting.length === 0 ? `No CloudAccount of Project ${namespace} is of` : 'Several CloudAccounts are of';
  throw badRequest(`${what} ${provider}; choose with --account: ${known}`);
}

/** What the API misses is told by the option that says it. */
function withOptions(error: unknown): never {
  if (!isPlatformError(error)) throw error;
  const missing = (error.details.causes ?? []).filter(({ reason }) => reason === 'FieldValueRequired');
  const options = missing.flatMap(({ field = '' }) => OPTION_OF[field] ?? []);
  if (options.length === 0) throw error;
  const remedy = `Say ${options.join(', ')}, or a --class that does`;
  throw new PlatformError(error.code, error.message, { details: { ...error.details, remedy }, cause: error });
}
