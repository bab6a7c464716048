import { Command, InvalidArgumentError } from 'commander';
import { CLUSTER } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import {
  contextOf,
  withApiOptions,
  withNamespaceOption,
  type ApiOptions,
  type NamespaceOption,
} from '../commands/api-options.js';
import { objectPath } from '../commands/worked-object.js';

/** Options of every command about one cluster. */
export type ClusterOptions = ApiOptions & NamespaceOption;

/** One cluster, and the API that has it. */
export interface ClusterAt {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

/** A command about one cluster, which is its first argument. */
export function onOneCluster(name: string, description: string): Command {
  return withApiOptions(withNamespaceOption(new Command(name).description(description))).argument(
    '<cluster>',
    'name of the cluster',
  );
}

export async function clusterAt(name: string, options: ClusterOptions): Promise<ClusterAt> {
  const { api, namespace } = await contextOf(options);
  return { api, namespace, name, path: objectPath({ kind: CLUSTER, name }, namespace) };
}

/** Throws InvalidArgumentError. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
