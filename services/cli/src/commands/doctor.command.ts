import { Command, Option } from 'commander';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate doctor`: what is wrong with the machine or the platform, and what to do. */
export function doctorCommand(): Command {
  return withApiOptions(
    new Command('doctor').description('Check this machine and the platform, and say what to do about what is wrong'),
  )
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addHelpText('after', '\nExit code 1: something failed. Warnings are none.')
    .action(lazily(async () => (await import('../actions/doctor.action.js')).runDoctor));
}
