import { formatTable } from '../progress/table.js';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { badRequest, unavailable } from '@crate/errors';
import { beginRecoveries, begunText } from '../recovery/begin-recovery.js';
import { confirmRecoveries, listRecoveries, takeBackCluster, type RecoveryRow } from '../recovery/recoveries.js';
import { DataDir } from '../up/data-dir.js';
import { readDatabaseUrl } from '../up/database-url.js';
import { getRunning } from '../up/run-file.js';
import { findText } from '../up/secret-file.js';
import { printAs, type OutputFormat } from '../output/print.js';

const WHAT_NOW = `Nothing is destroyed, replaced or made again now. What is to be done before it may be, see docs/backup.md:
  crate recovery take-back CLUSTER -n PROJECT --from URL   bring back clusters that were made after the backup
  kubectl apply -f …                                       ask again for what was asked for since
  crate recovery confirm                                   what is known then is what is wanted: held changes are carried out`;

interface Common {
  readonly dataDir: string;
  readonly databaseUrlFile?: string;
}

interface TakeBackOptions extends Common {
  readonly namespace: string;
  readonly from: string;
  readonly by?: string;
}

export async function runStatus(options: Common & { readonly output: OutputFormat }): Promise<void> {
  const rows = await listRecoveries(await databaseUrl(options));
  const table = formatTable(['SERVICE', 'STATE', 'TIMES', 'SINCE', 'REASON'], rows.map(cellsOf));
  printAs(options.output, rows, () => [...table, ...(rows.some(isOpen) ? ['', WHAT_NOW] : [])]);
}

export async function runBegin(options: { readonly databaseUrlFile: string; readonly reason: string }): Promise<void> {
  console.log(begunText(await beginRecoveries(await readDatabaseUrl(options.databaseUrlFile), options.reason)));
}

export async function runTakeBack(name: string, { namespace, from, by, ...options }: TakeBackOptions): Promise<void> {
  const person = personOf(by);
  const url = await databaseUrl(options);
  const request = { namespace, name, by: person, warn: (message: string) => console.error(message) };
  const brought = await takeBackCluster(url, request, from);
  const nothing = `Cluster ${namespace}/${name} is here already`;
  console.log(brought.length === 0 ? nothing : `Brought back ${brought.join(', ')}`);
}

export async function runConfirm(options: Common & { readonly by?: string }): Promise<void> {
  const person = personOf(options.by);
  const confirmed = await confirmRecoveries(await databaseUrl(options), person);
  console.log(confirmed.length === 0 ? 'No service was recovering' : `Confirmed for ${confirmed.join(', ')}`);
}

function cellsOf(row: RecoveryRow): readonly string[] {
  const { service, epoch, begunAt, reason } = row;
  if (!isOpen(row)) return [service, 'Normal', String(epoch), '', ''];
  return [service, 'Recovering', String(epoch), begunAt?.toISOString() ?? '', reason ?? ''];
}

function isOpen({ begunAt, confirmedAt }: RecoveryRow): boolean {
  return begunAt !== null && confirmedAt === null;
}

/** No default of the option: where a user id has no name, as in containers, no command could be defined. */
function personOf(stated: string | undefined): string {
  if (stated !== undefined) return stated;
  try {
    return userInfo().username;
  } catch {
    throw badRequest('Your user id has no name here: say who you are with --by');
  }
}

/** Of the platform that runs on this computer, unless another one's is stated. */
async function databaseUrl({ dataDir, databaseUrlFile }: Common): Promise<string> {
  if (databaseUrlFile !== undefined) return readDatabaseUrl(databaseUrlFile);
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  const url = await findText(join(dir.service('postgres'), 'database-url'));
  if (url === undefined) throw unavailable(`There is no database in ${dir.root}`);
  return url;
}
