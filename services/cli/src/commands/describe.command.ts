import { Command } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate describe`: all of an object, with what happened to it. */
export function describeCommand(): Command {
  return withApiOptions(
    withNamespaceOption(
      new Command('describe').description('Show all of an object: how it is, what was asked for, and what happened'),
    ),
  )
    .argument('<what...>', 'TYPE NAME…, TYPE/NAME…, or TYPE, which is all of them')
    .option('-l, --selector <labels>', 'only with these labels')
    .action(lazily(async () => (await import('../actions/describe.action.js')).runDescribe));
}
