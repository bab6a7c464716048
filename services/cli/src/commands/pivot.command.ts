import { Command, Option } from 'commander';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';
import { PivotSide } from '../pivot/pivot-side.js';
import { pivot, pivotBack, pivotStatus, type PivotRow, type PivotSides } from '../pivot/pivot.js';
import { formatTable } from '../progress/table.js';
import { durationOption } from './common-options.js';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly fromKeys?: string;
  readonly toKeys?: string;
  readonly address?: string;
  readonly drainTimeout: number;
  readonly status?: true;
  readonly rollback?: true;
  readonly output: OutputFormat;
}

const HELP = `
It may be interrupted at any time: run it again and it goes on. Up to the step "verified" --rollback takes everything back.
PGPASSWORD is used where a URL has no password. Guide: docs/install/moving.md
`;

/** `crate pivot`: another installation takes over all that this one has, and the right to act. */
export function pivotCommand(): Command {
  return new Command('pivot')
    .description('Move an installation into another database, without a moment in which both act')
    .requiredOption('--from <where>', 'the installation to move: data directory, or postgresql:// URL of its database')
    .requiredOption('--to <where>', 'the installation that takes over: new, of the same release, and named likewise')
    .option(
      '--from-keys <dir>',
      'encryption keys of the first, a directory for each service; known of a data directory',
    )
    .option('--to-keys <dir>', 'where the second has its own')
    .option('--address <url>', 'where the API is afterwards, told to whoever still asks the first')
    .addOption(durationOption('--drain-timeout <duration>', 'how long work at hand may go on', '30m'))
    .addOption(new Option('--status', 'only say how far the move is').conflicts('rollback'))
    .option('--rollback', 'take the move back')
    .addOption(formatOption('table'))
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { status, rollback, address, drainTimeout: drainTimeoutMs } = options;
  const sides: PivotSides = {
    from: PivotSide.of('the old installation', options.from, options.fromKeys),
    to: PivotSide.of('the new installation', options.to, options.toKeys),
  };
  if (status) return show(await pivotStatus(sides), options.output);
  if (rollback) {
    const nothing = 'There is no move to take back';
    return console.log((await pivotBack(sides)) ? 'Taken back: both are what they were before' : nothing);
  }
  const say = (line: string): void => console.log(line);
  await pivot({ ...sides, drainTimeoutMs, say, ...(address === undefined ? {} : { address }) });
}

function show(rows: readonly PivotRow[], output: OutputFormat): void {
  const cells = rows.map((row) => [row.installation, row.state, row.step, row.move, row.changedAt, row.address]);
  printAs(output, rows, () => formatTable(['INSTALLATION', 'STATE', 'STEP', 'MOVE', 'SINCE', 'ADDRESS'], cells));
}
