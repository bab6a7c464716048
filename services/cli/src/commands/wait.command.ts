import { Command } from 'commander';
import { parseWaitCondition } from '../objects/wait-condition.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { durationOption } from './common-options.js';
import { lazily } from './lazily.js';

const TIMEOUT = '30s';

/** `crate wait`: until objects are as they should be. */
export function waitCommand(): Command {
  return withApiOptions(
    withNamespaceOption(
      new Command('wait').description('Wait until objects are as they should be, and show how they come along'),
    ),
  )
    .argument('<what...>', 'TYPE/NAME…, TYPE NAME…, or TYPE with -l or --all')
    .requiredOption(
      '--for <what>',
      'condition=TYPE[=STATUS], delete, create or jsonpath={.path}[=VALUE]',
      parseWaitCondition,
    )
    .addOption(durationOption('--timeout <duration>', 'how long, such as 30s, 10m or 1h; 0 looks once', TIMEOUT))
    .option('-l, --selector <labels>', 'all with these labels')
    .option('--all', 'all of the kind')
    .addHelpText('after', '\nExit code 6: it did not come about in time.')
    .action(lazily(async () => (await import('../actions/wait.action.js')).runWait));
}
