import { Command, InvalidArgumentError, Option } from 'commander';
import { withApiOptions } from './api-options.js';
import { collect } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `crate audit`: who did what, over all services. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Who did what, over all services')
    .addCommand(exportCommand())
    .addCommand(verifyCommand())
    .addCommand(tailCommand());
}

function exportCommand(): Command {
  return (
    selecting(new Command('export').description('Print the audit log as JSON lines, each with its hash'))
      .option('-O, --out <file>', 'write to a file')
      // As it was called before; elsewhere -o is a format.
      .addOption(new Option('-o, --output <file>').hideHelp())
      .action(lazily(async () => (await import('../actions/audit.action.js')).runExport))
  );
}

function verifyCommand(): Command {
  return withApiOptions(
    new Command('verify').description('Recompute the hash chains; fails when somebody changed, added or removed a row'),
  )
    .option('--checkpoint <service:row:hash>', 'a checkpoint from the logs; may be repeated', collect, [])
    .addOption(formatOption('table'))
    .action(lazily(async () => (await import('../actions/audit.action.js')).runVerify));
}

function tailCommand(): Command {
  return selecting(new Command('tail').description('Print calls as they are recorded, until interrupted')).action(
    lazily(async () => (await import('../actions/audit.action.js')).runTail),
  );
}

function selecting(command: Command): Command {
  return withApiOptions(command)
    .option('-n, --namespace <project>', 'only what concerns this Project')
    .option('--user <name>', 'only what this user did')
    .option('--verb <verb>', 'only this verb, such as delete')
    .option('--resource <plural>', 'only this resource, such as clusters')
    .option('--since <time>', 'a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h', checkTime)
    .option('--until <time>', 'as --since', checkTime);
}

/** A time ago becomes the time it was. */
export function timeOf(text: string | undefined): string | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text ?? '') ?? [];
  return count === undefined ? text : new Date(Date.now() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

function checkTime(text: string): string {
  if (!Number.isNaN(Date.parse(timeOf(text) ?? ''))) return text;
  throw new InvalidArgumentError('Give a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h.');
}
