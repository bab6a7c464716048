import { Option, type Command } from 'commander';
import { CLOUD_ACCOUNT, apiVersionOf, type CloudAccount, type KubeList, type KubeObject } from '@crate/api';
import { badRequest, isPlatformError, PlatformError } from '@crate/errors';
import { clusterDocument, parseParameter, parsePool, type ClusterWish } from '../clusters/cluster-document.js';
import {
  clusterAt,
  onOneCluster,
  wholeNumber,
  type ClusterAt,
  type ClusterOptions,
} from '../clusters/cluster-options.js';
import { untilReady } from '../clusters/until-ready.js';
import { withoutManagedFields } from '../objects/object-output.js';
import { dataText } from '../output/print.js';
import { durationOption } from './common-options.js';

const TIMEOUT = '1h';

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

/** `crate clusters create`: a cluster from a few options. */
export function clustersCreateCommand(): Command {
  return onOneCluster('create', 'Create a cluster; what is not said is as its class and its Project say')
    .option('--class <name>', 'ClusterClass that fills in the rest')
    .option('--param <name=value>', 'parameter of the class; may be repeated', parseParameter, {})
    .option('--account <name>', 'CloudAccount that pays; default: the only one of the Project')
    .option('--provider <name>', 'take the CloudAccount of this provider, such as aws')
    .option('--region <name>', 'region of the provider, such as us-east-1')
    .option('--version <version>', 'Kubernetes version, such as v1.31.4')
    .option('--nodes <count>', 'worker machines, in one pool', wholeNumber)
    .option('--machine-type <type>', 'machine type of these, such as m5.large')
    .option('--pool <name=count[:type]>', 'a pool of workers, instead; may be repeated', parsePool, [])
    .option('--control-plane <count>', 'control-plane machines: 1, 3, 5 or 7', wholeNumber)
    .option('--add-on <name>', 'add-on of the catalogue; may be repeated', collect, [])
    .addOption(
      new Option('--dry-run [where]', 'server: check it and say what it leads to; client: only write the document')
        .choices(['server', 'client'])
        .preset('server'),
    )
    .addOption(new Option('-o, --output <format>', 'print the document').choices(['json', 'yaml']))
    .option('--wait', 'until it is Ready, and show how it comes along')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(create);
}

async function create(name: string, options: CreateOptions): Promise<void> {
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
  await untilReady(cluster, options.timeout);
  console.log(`Cluster "${name}" is Ready; its kubeconfig: crate clusters kubeconfig ${name} -n ${cluster.namespace}`);
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
  if (!isPlatformError(error) || error.code !== 'InvalidSpec') throw error;
  const missing = (error.details.causes ?? []).filter(({ reason }) => reason === 'FieldValueRequired');
  const options = missing.flatMap(({ field = '' }) => OPTION_OF[field] ?? []);
  if (options.length === 0) throw error;
  const remedy = `Say ${options.join(', ')}, or a --class that does`;
  throw new PlatformError('InvalidSpec', error.message, { details: { ...error.details, remedy }, cause: error });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
