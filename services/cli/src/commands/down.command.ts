import { Command } from 'commander';
import { dataDirOption } from './common-options.js';
import { lazily } from './lazily.js';

/** `crate down`: stops a platform that runs on the data directory; nothing running is fine, too. */
export function downCommand(): Command {
  return new Command('down')
    .description('Stop the platform that runs on a data directory; the data is kept')
    .addOption(dataDirOption('where everything is kept'))
    .action(lazily(async () => (await import('../actions/down.action.js')).runDown));
}
