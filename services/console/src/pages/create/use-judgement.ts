import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSettled } from '../../components/form/use-settled.js';
import { judge, type Judgement } from './dry-run.js';
import type { Draft } from './draft.js';

/** What the server says of the draft as it is now, or was a moment ago. */
export interface LiveJudgement {
  /** Undefined until the first answer, and without a project and a name. */
  readonly judgement: Judgement | undefined;
  /** True while the answer to the newest draft is on its way. */
  readonly isAsking: boolean;
  readonly error: Error | null;
  readonly ask: () => void;
}

/** Asks the server about a draft each time that typing pauses. */
export function useJudgement(draft: Draft): LiveJudgement {
  const settled = useSettled(JSON.stringify(draft));
  const asked = JSON.parse(settled) as Draft;
  const { data, isFetching, error, refetch } = useQuery({
    queryKey: ['judgement', settled],
    queryFn: ({ signal }) => judge(asked, signal),
    enabled: isAddressed(asked),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return {
    judgement: isAddressed(draft) ? data : undefined,
    isAsking: isFetching || settled !== JSON.stringify(draft),
    error,
    ask: () => void refetch(),
  };
}

/** True when the API can be asked about it at all. */
export function isAddressed({ metadata }: Draft): boolean {
  return !!metadata.name && !!metadata.namespace;
}
