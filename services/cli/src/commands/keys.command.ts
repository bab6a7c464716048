import { Command, Option } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';
import { formatOption } from './format-option.js';

/** `crate keys`: API keys for machines. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys for machines')
    .addCommand(createCommand())
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return common(new Command('create').description('Make a key, and print its token: it is shown this once'))
    .argument('<name>', 'name of the key')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['viewer', 'operator', 'admin']).makeOptionMandatory(),
    )
    .option('--lifetime <time>', 'how long a token is good, such as 12h or 90d')
    .option('--expires-at <time>', 'when the key ends, such as 2027-01-31T00:00:00Z')
    .option('--description <text>', 'what uses it')
    .option('--resources <names>', 'just these resources, separated by commas')
    .option('--verbs <verbs>', 'just these verbs, separated by commas')
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/keys.action.js')).runCreate));
}

function issueCommand(): Command {
  return common(
    new Command('issue').description('Replace the token of a key, and print the new one: it is shown this once'),
  )
    .argument('<name>', 'name of the key')
    .option('--overlap <time>', 'how long the old token stays good, such as 1h; default: it ends at once')
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/keys.action.js')).runIssue));
}

function listCommand(): Command {
  return common(new Command('list').description('List the keys of a Project'))
    .addOption(formatOption('table'))
    .action(inProject(async () => (await import('../actions/keys.action.js')).runList));
}

function revokeCommand(): Command {
  return common(new Command('revoke').description('Delete a key; its token is refused within two seconds'))
    .argument('<name>', 'name of the key')
    .option('--disable', 'keep it, but refuse its token; it can be enabled again by setting spec.disabled to false')
    .action(inProject(async () => (await import('../actions/keys.action.js')).runRevoke));
}

function common(command: Command): Command {
  return withNamespaceOption(withApiOptions(command));
}
