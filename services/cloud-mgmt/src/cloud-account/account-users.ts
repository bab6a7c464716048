import type { CloudAccount, Infrastructure } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** The Infrastructures of the same Project that are created in the account. */
export async function usersOf(
  { metadata }: CloudAccount,
  infrastructures: TypedClient<Infrastructure>,
): Promise<readonly Infrastructure[]> {
  const all = await infrastructures.list(metadata.namespace === undefined ? {} : { namespace: metadata.namespace });
  return all.filter(({ spec }) => spec.accountRef.name === metadata.name);
}
