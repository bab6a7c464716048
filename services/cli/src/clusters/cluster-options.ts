import { Command, InvalidArgumentError } from 'commander';
import { withApiOptions, withNamespaceOption, type ApiOptions, type NamespaceOption } from '../commands/api-options.js';

/** Options of every command about one cluster. */
export type ClusterOptions = ApiOptions & NamespaceOption;

/** A command about one cluster, which is its first argument. */
export function onOneCluster(name: string, description: string): Command {
  return withApiOptions(withNamespaceOption(new Command(name).description(description))).argument(
    '<cluster>',
    'name of the cluster',
  );
}

/** Throws InvalidArgumentError. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
