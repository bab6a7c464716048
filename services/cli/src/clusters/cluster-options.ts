import { Command, InvalidArgumentError } from 'commander';
import { withApiOptions, withNamespaceOption, type ApiOptions, type NamespaceOption } from '../commands/api-options.js';
import type { OutputFormat } from '../output/print.js';

/** Options of every command about one cluster. */
export type ClusterOptions = ApiOptions & NamespaceOption;

/** Of one that prints what came of it. */
export interface WritingOptions extends ClusterOptions {
  readonly output: OutputFormat;
}

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
