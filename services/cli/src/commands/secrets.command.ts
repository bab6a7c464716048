import { Command } from 'commander';
import { dataDirOption } from './common-options.js';
import { addDefault } from './default-command.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate secrets`: the keys that secrets are encrypted under. */
export function secretsCommand(): Command {
  const secrets = new Command('secrets').description('Show and replace the keys that secrets are encrypted under');
  return addDefault(secrets, statusCommand()).addCommand(rotateCommand()).addCommand(retireCommand());
}

function statusCommand(): Command {
  return common(new Command('status').description('List the keys of each service and what stands under them'))
    .addOption(formatOption('table'))
    .action(lazily(async () => (await import('../actions/secrets.action.js')).runStatus));
}

function rotateCommand(): Command {
  return common(
    new Command('rotate').description('Make a new key for each service; running services move all secrets under it'),
  )
    .option('--no-wait', 'return at once; "crate secrets status" says how far it is')
    .action(lazily(async () => (await import('../actions/secrets.action.js')).runRotate));
}

function retireCommand(): Command {
  return common(
    new Command('retire').description(
      'Remove every older key that nothing stands under. Backups made under it cannot be read without a copy of it',
    ),
  ).action(lazily(async () => (await import('../actions/secrets.action.js')).runRetire));
}

function common(command: Command): Command {
  return command.addOption(dataDirOption('data directory of the platform'));
}
