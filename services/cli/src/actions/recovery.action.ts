import { formatTable } from '../progress/table.js';
import { confirmRecoveries, listRecoveries, takeBackCluster, type RecoveryRow } from '../recovery/recoveries.js';
import { tellOfPassword } from '../recovery/refused-password.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { printAs, type OutputFormat } from '../output/print.js';

const WHAT_NOW = `Nothing is destroyed, replaced or made again now. What is to be done before it may be, see docs/backup.md:
  crate recovery take-back CLUSTER -n PROJECT --from URL   bring back clusters that were made after the backup
  kubectl apply -f …                                       ask again for what was asked for since
  crate recovery confirm                                   what is known then is what is wanted: held changes are carried out`;

interface Common {
  readonly dataDir: string;
}

interface TakeBackOptions extends Common {
  readonly namespace: string;
  readonly from: string;
  readonly by: string;
}

export async function runStatus(options: Common & { readonly output: OutputFormat }): Promise<void> {
  const rows = await listRecoveries(await runningDir(options));
  const table = formatTable(['SERVICE', 'STATE', 'TIMES', 'SINCE', 'REASON'], rows.map(cellsOf));
  printAs(options.output, rows, () => [...table, ...(rows.some(isOpen) ? ['', WHAT_NOW] : [])]);
}

export async function runTakeBack(name: string, { namespace, from, by, ...options }: TakeBackOptions): Promise<void> {
  const dir = await runningDir(options);
  const brought = await takeBackCluster(dir, { namespace, name, by }, from).catch(tellOfPassword);
  const nothing = `Cluster ${namespace}/${name} is here already`;
  console.log(brought.length === 0 ? nothing : `Brought back ${brought.join(', ')}`);
}

export async function runConfirm(options: Common & { by: string }): Promise<void> {
  const confirmed = await confirmRecoveries(await runningDir(options), options.by);
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

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
