import { CLUSTER } from '@crate/api';
import { get, type GetOptions } from './get.action.js';

export async function runClustersList(names: readonly string[], options: GetOptions): Promise<void> {
  await get([`${CLUSTER.plural}.${CLUSTER.group}`, ...names], options);
}
