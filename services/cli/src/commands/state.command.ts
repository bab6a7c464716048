import { Command, InvalidArgumentError } from 'commander';
import {
  stateDiffSchema,
  stateDiffText,
  type EngineStateVersion,
  type KubeList,
  type StateDiff,
  type StateVersion,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import { formatTable } from '../progress/table.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { ownerPath, selectorOf, versionPath, versionsPath } from './state-paths.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

interface StateOptions extends ApiOptions {
  readonly namespace: string;
  readonly engine?: boolean;
  readonly output: OutputFormat;
}

type Version = StateVersion | EngineStateVersion;

interface ShownLock {
  readonly holder?: string;
  readonly operation?: string;
  readonly since?: string;
  readonly state?: string;
}

const HEADER = ['SERIAL', 'NEWEST', 'RESOURCES', 'SIZE', 'WHEN', 'RUN', 'CHANGED-BY', 'REASON'];
const ENGINE_HEADER = HEADER.map((column) => (column === 'RESOURCES' ? 'NODES' : column));

/** `crate state`: versions of the Terraform state of a cluster, or of that of its engine, and who works on it. */
export function stateCommand(): Command {
  return new Command('state')
    .description('Versions of the Terraform state of a cluster, or of that of its engine, and who works on it')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(diffCommand())
    .addCommand(restoreCommand())
    .addCommand(unlockCommand());
}

function listCommand(): Command {
  return onState('list', 'List the versions that are kept, newest first')
    .addOption(formatOption('table'))
    .action(async (name: string, options: StateOptions) => {
      const items = await listOf(options, selectorOf(options, name));
      if (items.length === 0 && options.output === 'table') throw nothingStored(name, options);
      const header = options.engine ? ENGINE_HEADER : HEADER;
      printAs(options.output, items, () => formatTable(header, items.map(rowOf)));
    });
}

function showCommand(): Command {
  return onState('show', 'Show what is known of a version, or of the newest, and who works on the state')
    .argument('[serial]', 'number of the version', serialOf)
    .action(async (name: string, serial: number | undefined, options: StateOptions) => {
      const api = await apiOf(options);
      const known = serial ?? (await newestOf(name, options));
      const { metadata, spec } = await api.get<Version>(versionPath(options, name, known));
      const lock = await api.get<ShownLock>(`${ownerPath(options, name)}/lock`);
      printJson({ name: metadata.name, createdAt: metadata.creationTimestamp, ...spec, lock });
    });
}

function diffCommand(): Command {
  return onState('diff', 'Show what changed from one version to another; sensitive values are masked')
    .argument('<from>', 'number of the version before', serialOf)
    .argument('[to]', 'number of the version after; default: the newest', serialOf)
    .addOption(formatOption('text'))
    .action(async (name: string, from: number, to: number | undefined, options: StateOptions) => {
      const known = to ?? (await newestOf(name, options));
      const path = `${versionPath(options, name, known)}/diff`;
      const diff = stateDiffSchema.parse(await (await apiOf(options)).create<StateDiff>(path, { from }));
      printAs(options.output, diff, () => [stateDiffText(diff)]);
    });
}

function restoreCommand(): Command {
  return onState('restore', 'Put an older version in place as a new one; the next run begins with it')
    .argument('<serial>', 'number of the version', serialOf)
    .requiredOption('--reason <text>', 'why; kept with the version')
    .action(async (name: string, serial: number, options: StateOptions & { readonly reason: string }) => {
      const path = `${versionPath(options, name, serial)}/restore`;
      const made = await (await apiOf(options)).create<Version>(path, { reason: options.reason });
      console.log(`Version ${serial} is in place as version ${made.spec.serial}`);
    });
}

function unlockCommand(): Command {
  return onCluster(
    'unlock',
    'Take the lock on the Terraform state from a person who does not work on it any more; never from a run',
  ).action(async (name: string, options: StateOptions) => {
    const api = await apiOf(options);
    const lock = await api.get<ShownLock>(`${ownerPath(options, name)}/lock`);
    if (lock.holder === undefined) return console.log('Nobody holds the lock');
    await api.create(`${ownerPath(options, name)}/unlock`, {});
    console.log(`Took the lock that ${lock.holder} held for ${lock.operation} since ${lock.since}`);
  });
}

function onState(name: string, description: string): Command {
  return onCluster(name, description).option('--engine', "of the cluster's engine (RKE), not of Terraform");
}

function onCluster(name: string, description: string): Command {
  return withApiOptions(new Command(name).description(description))
    .argument('<name>', 'name of the cluster')
    .requiredOption('-n, --namespace <project>', 'Project of the cluster');
}

async function listOf(options: StateOptions, selector: string): Promise<readonly Version[]> {
  const path = `${versionsPath(options)}?fieldSelector=${encodeURIComponent(selector)}`;
  return (await (await apiOf(options)).get<KubeList<Version>>(path)).items;
}

async function newestOf(name: string, options: StateOptions): Promise<number> {
  const [newest] = await listOf(options, `${selectorOf(options, name)},spec.newest=true`);
  if (!newest) throw nothingStored(name, options);
  return newest.spec.serial;
}

function nothingStored(name: string, { engine, namespace }: StateOptions): PlatformError {
  const whose = engine ? 'the engine' : 'Terraform';
  return new PlatformError('NotFound', `No state of ${whose} is stored for "${name}" in Project "${namespace}"`);
}

function rowOf({ metadata, spec }: Version): readonly string[] {
  const { serial, newest, size, run = '-', changedBy = '-', reason = '-', restoredFrom } = spec;
  const count = 'infrastructureRef' in spec ? spec.resources : spec.nodes;
  const why = restoredFrom === undefined ? reason : `restored ${restoredFrom}: ${reason}`;
  return [
    ...[String(serial), newest ? 'yes' : '-', String(count ?? '-'), String(size)],
    ...[metadata.creationTimestamp, run, changedBy, why],
  ];
}

function serialOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give the number of a version, such as 7.');
  return Number(text);
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}
