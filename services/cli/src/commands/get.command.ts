import { Command } from 'commander';
import { JsonPath } from '../objects/json-path.js';
import { parseObjectFormat } from '../objects/object-format.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate get`: any objects, as the API shows them. */
export function getCommand(): Command {
  return withGetOptions(new Command('get').description('Show objects of any kind, as a table or as data'))
    .argument('<what...>', 'TYPE, TYPE,TYPE, TYPE NAME… or TYPE/NAME…, such as clusters or cluster/demo')
    .action(lazily(async () => (await import('../actions/get.action.js')).get));
}

/** Adds the options that `get` takes. */
export function withGetOptions(command: Command): Command {
  return withApiOptions(withNamespaceOption(command))
    .option('-A, --all-namespaces', 'of all Projects')
    .option('-l, --selector <labels>', 'only with these labels, such as tier=web,env!=dev')
    .option('--field-selector <fields>', 'only with these fields, such as spec.region=us-east-1')
    .option('-w, --watch', 'then show every change, until Ctrl-C')
    .option('--sort-by <jsonpath>', 'by a place in the objects, such as .metadata.creationTimestamp', (text: string) =>
      JsonPath.parse(text),
    )
    .option('-o, --output <format>', 'table, wide, json, yaml, name or jsonpath=…', parseObjectFormat, 'table')
    .option('--no-headers', 'tables without their first line')
    .option('--show-labels', 'tables with the labels')
    .option('--show-managed-fields', 'data with metadata.managedFields')
    .option('--ignore-not-found', 'say nothing of what is not there');
}
