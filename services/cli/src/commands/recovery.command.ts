import { Command, InvalidArgumentError, Option } from 'commander';
import { isDatabaseUrl } from '../up/database-url.js';
import { dataDirOption } from './common-options.js';
import { addDefault } from './default-command.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate recovery`: what to do after the database was restored to an older point. */
export function recoveryCommand(): Command {
  const about = 'Show and end the time after a restored backup, in which nothing is destroyed';
  return addDefault(new Command('recovery').description(about), statusCommand())
    .addCommand(beginCommand())
    .addCommand(takeBackCommand())
    .addCommand(confirmCommand());
}

function statusCommand(): Command {
  return common(new Command('status').description('Say which services work on a database that was set back'))
    .addOption(formatOption('table'))
    .action(lazily(async () => (await import('../actions/recovery.action.js')).runStatus));
}

function beginCommand(): Command {
  return new Command('begin')
    .description(
      'Say that a database was set back whose services cannot notice, as their markers are lost; they are stopped',
    )
    .addOption(databaseOption().makeOptionMandatory())
    .option('--reason <text>', 'shown until somebody confirms', 'Restored by hand')
    .action(lazily(async () => (await import('../actions/recovery.action.js')).runBegin));
}

function takeBackCommand(): Command {
  return common(
    new Command('take-back')
      .description('Bring back a cluster that was made after the backup, from a database that knows it')
      .argument('<cluster>', 'name of the cluster'),
  )
    .requiredOption('-n, --namespace <project>', 'its Project')
    .requiredOption(
      '--from <url>',
      'database that was restored to a later time; PGPASSWORD is used where it has none',
      databaseUrlOf,
    )
    .addOption(new Option('--by <name>', 'who does it, for the audit log; default: you'))
    .action(lazily(async () => (await import('../actions/recovery.action.js')).runTakeBack));
}

function confirmCommand(): Command {
  return common(
    new Command('confirm').description('What the platform now knows is what is wanted: changes that were held go on'),
  )
    .addOption(new Option('--by <name>', 'who confirms; default: you'))
    .action(lazily(async () => (await import('../actions/recovery.action.js')).runConfirm));
}

function common(command: Command): Command {
  return command
    .addOption(dataDirOption('data directory of the platform, where it runs by crate up'))
    .addOption(databaseOption().conflicts('dataDir'));
}

function databaseOption(): Option {
  const flags = '--database-url-file <file>';
  return new Option(flags, "file with the URL of the platform's database, as a user who may do what its services may");
}

function databaseUrlOf(text: string): string {
  if (isDatabaseUrl(text)) return text;
  throw new InvalidArgumentError('Give a URL such as postgresql://user@host:5432/database.');
}
