import type { PolicyEvaluation, PolicyExampleDocument, PolicyExamples } from '@crate/api';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';

/** What is known of a document besides itself. */
export type Circumstances = Pick<
  PolicyExampleDocument,
  'stage' | 'project' | 'provider' | 'engine' | 'operation' | 'oldDocument'
>;

/** Documents that a rule objects to and accepts, as its pack ships them. */
export function useRuleExamples(rule: string | undefined): UseQueryResult<PolicyExamples> {
  return useQuery({
    queryKey: ['rule-examples', rule],
    queryFn: ({ signal }) =>
      apiJson<PolicyExamples>(objectPath(KINDS.policy, rule ?? '', undefined, 'examples'), { signal }),
    enabled: rule !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What one rule makes of a document; nothing is written. Throws ApiError. */
export function evaluate(rule: string, document: unknown, circumstances: Circumstances): Promise<PolicyEvaluation> {
  const { stage, project, provider, engine, operation, oldDocument } = circumstances;
  return apiJson<PolicyEvaluation>(objectPath(KINDS.policy, rule, undefined, 'evaluate'), {
    method: 'POST',
    body: { stage, project, provider, engine, operation, oldDocument, document },
  });
}
