import { printAs, type OutputFormat } from '../output/print.js';
import { PivotSide } from '../pivot/pivot-side.js';
import { pivot, pivotBack, pivotStatus, type PivotRow, type PivotSides } from '../pivot/pivot.js';
import { formatTable } from '../progress/table.js';

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

export async function run(options: Options): Promise<void> {
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
