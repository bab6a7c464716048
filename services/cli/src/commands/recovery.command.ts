import { userInfo } from 'node:os';
import { Command, Option } from 'commander';
import { formatTable } from '../progress/table.js';
import { confirmRecoveries, listRecoveries, takeBackCluster, type RecoveryRow } from '../recovery/recoveries.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { dataDirOption } from './common-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

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

/** `crate recovery`: what to do after the database was restored to an older point. */
export function recoveryCommand(): Command {
  return new Command('recovery')
    .description('Show and end the time after a restored backup, in which nothing is destroyed')
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(takeBackCommand())
    .addCommand(confirmCommand());
}

function statusCommand(): Command {
  return common(new Command('status').description('Say which services work on a database that was set back'))
    .addOption(formatOption('table'))
    .action(async (options: Common & { readonly output: OutputFormat }) => {
      const rows = await listRecoveries(await runningDir(options));
      const table = formatTable(['SERVICE', 'STATE', 'TIMES', 'SINCE', 'REASON'], rows.map(cellsOf));
      printAs(options.output, rows, () => [...table, ...(rows.some(isOpen) ? ['', WHAT_NOW] : [])]);
    });
}

function takeBackCommand(): Command {
  return common(
    new Command('take-back')
      .description('Bring back a cluster that was made after the backup, from a database that knows it')
      .argument('<cluster>', 'name of the cluster'),
  )
    .requiredOption('-n, --namespace <project>', 'its Project')
    .requiredOption('--from <url>', 'database that was restored to a later time; PGPASSWORD is used where it has none')
    .addOption(new Option('--by <name>', 'who does it, for the audit log').default(userInfo().username, 'you'))
    .action(async (name: string, { namespace, from, by, ...options }: TakeBackOptions) => {
      const brought = await takeBackCluster(await runningDir(options), { namespace, name, by }, from);
      const nothing = `Cluster ${namespace}/${name} is here already`;
      console.log(brought.length === 0 ? nothing : `Brought back ${brought.join(', ')}`);
    });
}

function confirmCommand(): Command {
  return common(
    new Command('confirm').description('What the platform now knows is what is wanted: changes that were held go on'),
  )
    .addOption(new Option('--by <name>', 'who confirms').default(userInfo().username, 'you'))
    .action(async (options: Common & { by: string }) => {
      const confirmed = await confirmRecoveries(await runningDir(options), options.by);
      console.log(confirmed.length === 0 ? 'No service was recovering' : `Confirmed for ${confirmed.join(', ')}`);
    });
}

function cellsOf(row: RecoveryRow): readonly string[] {
  const { service, epoch, begunAt, reason } = row;
  if (!isOpen(row)) return [service, 'Normal', String(epoch), '', ''];
  return [service, 'Recovering', String(epoch), begunAt?.toISOString() ?? '', reason ?? ''];
}

function isOpen({ begunAt, confirmedAt }: RecoveryRow): boolean {
  return begunAt !== null && confirmedAt === null;
}

function common(command: Command): Command {
  return command.addOption(dataDirOption('data directory of the platform'));
}

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
