import { Command } from 'commander';
import { durationOption, parseList } from './common-options.js';
import { lazily } from './lazily.js';

const HELP = `
It may be interrupted at any time: run it again and it goes on. A temporary platform on this machine takes over, deletes the
cluster, has the cloud say that nothing is left, and ends. Guide: docs/install/bootstrap.md
`;

/** `crate remove`: what `crate bootstrap` made is taken away, with a proof. */
export function removeCommand(): Command {
  return new Command('remove')
    .description('Take away a platform that "crate bootstrap" set up, and prove that nothing of it is left')
    .requiredOption('--data <dir>', 'directory of the bootstrap')
    .option('--kubeconfig <file>', "an administrator's kubeconfig of the platform; default: the first administrator's")
    .option(
      '--management-networks <cidrs>',
      'who may reach the platform and its clusters meanwhile, this machine among them, separated by commas; default: as in the bootstrap',
      parseList,
    )
    .option(
      '--database-url-file <file>',
      'file with the URL of the PostgreSQL of your own, where its user or password is another one by now; default: that of the bootstrap',
    )
    .option('--with-clusters', 'delete all other clusters first')
    .option('--confirm <name>', 'name of the platform, where nobody can be asked')
    .addOption(durationOption('--timeout <duration>', 'how long each step may take', '1h'))
    .option('--result <file>', 'write the proof there, as JSON')
    .addHelpText('after', HELP)
    .action(lazily(async () => (await import('../actions/remove.action.js')).runRemove));
}
