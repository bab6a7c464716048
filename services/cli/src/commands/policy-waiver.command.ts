import { Command } from 'commander';
import { parseWaiverEnd } from '../policy/waiver-end.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { formatOption } from './format-option.js';
import { withGetOptions } from './get.command.js';
import { lazily } from './lazily.js';

/** `crate policy waiver`: has rules not hold somewhere for a time, which takes two people. */
export function policyWaiverCommand(): Command {
  return new Command('waiver')
    .description('Ask for waivers of rules, approve them and take them back')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(requestCommand())
    .addCommand(approveCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return withGetOptions(new Command('list').description('List waivers; the same as: crate get policywaivers'))
    .argument('[name...]', 'only these')
    .action(lazily(async () => (await import('../actions/policy-waiver.action.js')).runList));
}

function showCommand(): Command {
  return onWaiver('show', 'Show what a waiver is about, and how it stands').action(
    lazily(async () => (await import('../actions/policy-waiver.action.js')).runShow),
  );
}

function requestCommand(): Command {
  return onWaiver('request', 'Ask for a waiver; it counts once another person has approved it')
    .requiredOption('--policy <names...>', 'rules; aws-iam-* is a family of them')
    .option('--cluster <names...>', 'clusters of the Project; test-* is a family; default: all')
    .option('--field <paths...>', 'fields, as violations name them; default: all')
    .requiredOption('--reason <text>', 'why the rules need not hold there')
    .requiredOption(
      '--until <time>',
      'its end: a day such as 2027-03-31, a time, or how long, such as 30d',
      (text: string) => parseWaiverEnd(text),
    )
    .option('--ticket <id>', 'where it was decided')
    .option('--dry-run', 'check it, and ask for nothing')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/policy-waiver.action.js')).runRequest));
}

function approveCommand(): Command {
  return onWaiver('approve', 'Show a waiver that somebody else asked for, ask, and approve what was shown')
    .option('-y, --yes', 'do not ask')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/policy-waiver.action.js')).runApprove));
}

function revokeCommand(): Command {
  return onWaiver('revoke', 'Take a waiver back, or refuse it, at once and for good')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/policy-waiver.action.js')).runRevoke));
}

function onWaiver(name: string, description: string): Command {
  return withApiOptions(withNamespaceOption(new Command(name).description(description))).argument(
    '<name>',
    'name of the waiver',
  );
}
