import { userInfo } from 'node:os';
import { Command } from 'commander';
import { readCliEnvironment } from '../config.js';
import { formatTable } from '../progress/table.js';
import { confirmRecoveries, listRecoveries, type RecoveryRow } from '../recovery/recoveries.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';

interface Common {
  readonly dataDir: string;
}

/** `crate recovery`: what to do after the database was restored to an older point. */
export function recoveryCommand(): Command {
  return new Command('recovery')
    .description('Show and end the time after a restored backup, in which nothing is destroyed')
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(confirmCommand());
}

function statusCommand(): Command {
  return common(new Command('status').description('Say which services work on a database that was set back')).action(
    async (options: Common) => {
      const rows = await listRecoveries(await runningDir(options));
      for (const line of formatTable(['SERVICE', 'STATE', 'TIMES', 'SINCE', 'REASON'], rows.map(cellsOf))) {
        console.log(line);
      }
    },
  );
}

function confirmCommand(): Command {
  return common(
    new Command('confirm').description('What the platform now knows is what is wanted: changes that were held go on'),
  )
    .option('--by <name>', 'who confirms', userInfo().username)
    .action(async (options: Common & { by: string }) => {
      const confirmed = await confirmRecoveries(await runningDir(options), options.by);
      console.log(confirmed.length === 0 ? 'No service was recovering' : `Confirmed for ${confirmed.join(', ')}`);
    });
}

function cellsOf({ service, epoch, begunAt, reason, confirmedAt }: RecoveryRow): readonly string[] {
  const isOpen = begunAt !== null && confirmedAt === null;
  return [
    service,
    isOpen ? 'Recovering' : 'Normal',
    String(epoch),
    isOpen ? begunAt.toISOString() : '',
    (isOpen && reason) || '',
  ];
}

function common(command: Command): Command {
  return command.option('--data-dir <dir>', 'data directory of the platform', readCliEnvironment().dataDir);
}

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
