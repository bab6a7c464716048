import type { CloudAccount } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { useCreate } from './create-context.js';

/** Cloud accounts of a Project, as far as one may see them. */
export interface Accounts {
  readonly accounts: readonly CloudAccount[];
  /** True until the answer is there: what is chosen from is no line of text in the meantime. */
  readonly areComing: boolean;
}

/** Asks for the accounts of a Project, once there is one. */
export function useAccounts(namespace: string | undefined): Accounts {
  const { data, isLoading } = useQuery({
    queryKey: ['accounts', namespace],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly CloudAccount[] }>(collectionPath(KINDS.cloudAccount, namespace), { signal }),
    enabled: namespace !== undefined,
  });
  return { accounts: data?.items ?? [], areComing: isLoading };
}

/** The cloud that the draft is for; undefined: nobody has chosen an account yet, or one may not see it. */
export function useProvider(): string | undefined {
  const { draft, live } = useCreate();
  const { accounts } = useAccounts(draft.metadata.namespace);
  const filled = live.judgement?.isAllowed ? live.judgement.cluster.spec.accountRef?.name : undefined;
  const name = draft.spec.accountRef?.name ?? filled;
  return accounts.find(({ metadata }) => metadata.name === name)?.spec.provider;
}
