import { notFound } from '@crate/errors';
import type { Fault, InventoryItem, LatencySettings, ObjectRequest } from '@crate/sandbox';
import { SandboxClient } from '@crate/sandbox/client';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { formatTable } from '../progress/table.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { tellByFlags } from './sandbox-mistakes.js';

interface Common {
  readonly dataDir: string;
  readonly output: OutputFormat;
}

type ObjectOptions = Common & { readonly account?: string };

interface NamedObject {
  readonly account: string;
  readonly type: string;
  readonly id: string;
}

export async function runInventory(
  options: Common & { account?: string; type?: string; tag: Record<string, string> },
): Promise<void> {
  const { account, type, tag } = options;
  const items = await (
    await client(options)
  ).listInventory({
    tags: tag,
    ...(account === undefined ? {} : { account }),
    ...(type === undefined ? {} : { type }),
  });
  print(options, items.map(shown), ['TYPE', 'ID', 'ACCOUNT', 'REGION', 'CREATED', 'NAME'], (item) => [
    ...[item.type, item.id, item.account, item.region, item.createdAt],
    item.tags['Name'] ?? '',
  ]);
}

export async function runChange(
  type: string,
  id: string,
  attributes: Record<string, unknown>,
  options: ObjectOptions,
): Promise<void> {
  const sandbox = await client(options);
  await sandbox.changeObject(await objectOf(sandbox, { type, id, options }), attributes);
  console.log(`${type} ${id} is changed`);
}

export async function runCreate(
  type: string,
  attributes: Record<string, unknown>,
  options: Common & { account: string; region: string },
): Promise<void> {
  const { account, region } = options;
  const body = { account, region, type, attributes: attributes as ObjectRequest['attributes'] };
  const { id } = await (await client(options)).createObject(body);
  console.log(`${type} ${id} is made`);
}

export async function runRemove(type: string, id: string, options: ObjectOptions): Promise<void> {
  const sandbox = await client(options);
  await sandbox.removeObject(await objectOf(sandbox, { type, id, options }));
  console.log(`${type} ${id} is gone`);
}

export async function runFaultSet(name: string, { dataDir, output, ...fault }: Common): Promise<void> {
  const wanted = fault as unknown as Fault;
  await (await client({ dataDir, output })).putFault(name, wanted).catch(tellByFlags(`faults of kind ${wanted.kind}`));
  console.log(`Fault ${name} is in force`);
}

export async function runFaultList(options: Common): Promise<void> {
  const faults = await (await client(options)).listFaults();
  print(options, faults, ['NAME', 'KIND', 'DETAIL'], ({ name, kind, ...rest }) => [
    name,
    kind,
    Object.entries(rest)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  ]);
}

export async function runFaultClear(name: string | undefined, options: Common): Promise<void> {
  const sandbox = await client(options);
  await (name === undefined ? sandbox.removeAllFaults() : sandbox.removeFault(name));
  console.log(name === undefined ? 'No fault is in force' : `Fault ${name} is gone`);
}

export async function runLatency(
  options: Common & { scale?: number; zero?: boolean; account?: string },
): Promise<void> {
  const sandbox = await client(options);
  const scale = options.zero ? 0 : options.scale;
  if (scale !== undefined) await sandbox.setLatency({ scale }, options.account).catch(tellByFlags('latency'));
  const latency = await sandbox.getLatency(options.account);
  printAs(options.output, latency, () => latencyLines(latency));
}

function latencyLines({ scale, createMs }: LatencySettings): readonly string[] {
  const own = Object.entries(createMs).map(([type, ms]) => [type, `${ms} ms`]);
  const factor = scale === 1 ? 'as long as usual' : `${scale} times as long as usual`;
  return [
    `It takes ${scale === 0 ? 'no time' : factor}`,
    ...(own.length === 0 ? [] : ['', ...formatTable(['TYPE', 'TO CREATE ONE'], own)]),
  ];
}

/** Ids of the provider are unique, so the account need not be said. Throws NotFound. */
async function objectOf(
  sandbox: SandboxClient,
  { type, id, options }: { readonly type: string; readonly id: string; readonly options: ObjectOptions },
): Promise<NamedObject> {
  if (options.account !== undefined) return { account: options.account, type, id };
  const found = (await sandbox.listInventory({ type, tags: {} })).find((item) => item.id === id);
  if (!found) throw notFound(type, id);
  return { account: found.account, type, id };
}

async function client({ dataDir }: Common): Promise<SandboxClient> {
  const { sandboxUrl } = await getRunning(new DataDir(dataDir));
  return new SandboxClient(sandboxUrl);
}

/** The fields that the inventory promises, in their order. */
function shown({
  provider,
  account,
  region,
  type,
  id,
  tags,
  createdAt,
}: InventoryItem): Omit<InventoryItem, 'importId'> {
  return { provider, account, region, type, id, tags, createdAt };
}

function print<T extends object>(
  options: Common,
  rows: readonly T[],
  header: readonly string[],
  cells: (row: T) => readonly string[],
): void {
  printAs(options.output, rows, () => formatTable(header, rows.map(cells)));
}
