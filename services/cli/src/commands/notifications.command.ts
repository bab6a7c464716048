import { NOTIFICATION_STATES } from './api-values.js';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatOption } from './format-option.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';

const MOST_DELIVERIES = 500;

/** `crate notifications`: where a Project hears of what happens in it, and what was delivered. */
export function notificationsCommand(): Command {
  return new Command('notifications')
    .description('Where a Project hears of what happens in it, and what was delivered')
    .addCommand(listCommand())
    .addCommand(deliveriesCommand())
    .addCommand(testCommand());
}

function listCommand(): Command {
  return common(new Command('list').description('List the channels of a Project'))
    .addOption(formatOption('table'))
    .action(inProject(async () => (await import('../actions/notifications.action.js')).runList));
}

function deliveriesCommand(): Command {
  return common(new Command('deliveries').description('Show what was sent by a channel and what waits, newest first'))
    .argument('<name>', 'name of the channel')
    .option('--limit <number>', `at most so many messages, up to ${MOST_DELIVERIES}`, limitOf, 50)
    .addOption(new Option('--state <state>', 'only messages that stand so').choices([...NOTIFICATION_STATES]))
    .addOption(formatOption('table'))
    .action(inProject(async () => (await import('../actions/notifications.action.js')).runDeliveries));
}

function testCommand(): Command {
  return common(new Command('test').description('Send a test message now, and say what came of it'))
    .argument('<name>', 'name of the channel')
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/notifications.action.js')).runTest));
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_DELIVERIES) return limit;
  throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST_DELIVERIES}`);
}

function common(command: Command): Command {
  return withNamespaceOption(withApiOptions(command));
}
