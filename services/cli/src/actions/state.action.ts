import {
  stateDiffSchema,
  stateDiffText,
  type EngineStateVersion,
  type KubeList,
  type StateDiff,
  type StateVersion,
} from '@crate/api';
import { hasCode, PlatformError } from '@crate/errors';
import { askToGoOn } from '../clusters/ask.js';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import { apiFlags, type ApiOptions } from '../commands/api-options.js';
import { versionLines, type ShownLock } from './state-text.js';
import { ownerPath, selectorOf, versionPath, versionsPath } from './state-paths.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { oneLine } from '../output/visible.js';

interface StateOptions extends ApiOptions {
  readonly namespace: string;
  readonly engine?: boolean;
  readonly output: OutputFormat;
}

type Version = StateVersion | EngineStateVersion;

const HEADER = ['SERIAL', 'NEWEST', 'RESOURCES', 'BYTES', 'WHEN', 'RUN', 'CHANGED-BY', 'REASON'];
const ENGINE_HEADER = HEADER.map((column) => (column === 'RESOURCES' ? 'NODES' : column));

export async function runList(name: string, options: StateOptions): Promise<void> {
  const items = await listOf(options, selectorOf(options, name));
  if (items.length === 0) throw nothingStored(name, options);
  const header = options.engine ? ENGINE_HEADER : HEADER;
  printAs(options.output, items, () => formatTable(header, items.map(rowOf)));
}

export async function runShow(name: string, serial: number | undefined, options: StateOptions): Promise<void> {
  const api = await apiOf(options);
  const known = serial ?? (await newestOf(name, options));
  const version = await api.get<Version>(versionPath(options, name, known)).catch(notKept(name, options));
  const lock = await api.get<ShownLock>(`${ownerPath(options, name)}/lock`);
  printAs(options.output, { ...shownOf(version), lock }, () => versionLines(version, lock));
}

function shownOf({ metadata, spec }: Version): object {
  return { name: metadata.name, createdAt: metadata.creationTimestamp, ...spec };
}

export async function runDiff(
  name: string,
  from: number,
  to: number | undefined,
  options: StateOptions,
): Promise<void> {
  const known = to ?? (await newestOf(name, options));
  const path = `${versionPath(options, name, known)}/diff`;
  const api = await apiOf(options);
  const diff = stateDiffSchema.parse(await api.create<StateDiff>(path, { from }).catch(notKept(name, options)));
  printAs(options.output, diff, () => [stateDiffText(diff)]);
}

export async function runRestore(
  name: string,
  serial: number,
  options: StateOptions & { readonly reason: string },
): Promise<void> {
  const path = `${versionPath(options, name, serial)}/restore`;
  const api = await apiOf(options);
  const made = await api.create<Version>(path, { reason: options.reason }).catch(notKept(name, options));
  printAs(options.output, shownOf(made), () => [`Version ${serial} is in place as version ${made.spec.serial}`]);
}

export async function runUnlock(name: string, options: StateOptions & { readonly yes?: boolean }): Promise<void> {
  const api = await apiOf(options);
  const lock = await api.get<ShownLock>(`${ownerPath(options, name)}/lock`);
  if (lock.holder === undefined) return console.log('Nobody holds the lock');
  // What is stored by whoever still works is refused from then on.
  if (lock.state === 'live')
    await askToGoOn(`${lock.holder} was heard of at ${lock.lastSeen}. Take the lock?`, options);
  await api.create(`${ownerPath(options, name)}/unlock`, {});
  console.log(oneLine(`Took the lock that ${lock.holder} held for ${lock.operation} since ${lock.since}`));
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

/** What to catch with where a version is named: versions go as newer ones come. */
function notKept(name: string, options: StateOptions): (error: unknown) => never {
  const { engine, namespace } = options;
  return (error) => {
    const [, serial] = /versions\.\S+ "[^"]+\.(\d+)" not found/.exec((error as Error).message) ?? [];
    if (serial === undefined || !hasCode(error, 'NotFound')) throw error;
    const flags = `${engine ? ' --engine' : ''}${apiFlags(options)}`;
    const remedy = `Those that are: crate state list ${name} -n ${namespace}${flags}`;
    const message = `No version ${serial} of the state of "${name}" is kept in Project "${namespace}"`;
    throw new PlatformError('NotFound', message, { details: { remedy }, cause: error });
  };
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
