import type { Plan } from '@crate/api';
import { Button, Card, CardBody, CardHeader, CardTitle, Stack, StackItem } from '@patternfly/react-core';
import { useMutation, useQuery, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { NewestRun } from './NewestRun.js';
import { PlanDetail } from './PlanDetail.js';
import { PlanTable } from './PlanTable.js';
import { createPlan } from './plan-writes.js';
import { usePlans } from './use-plans.js';

/** What changes would lead to, before anything is done; and what the newest run did. */
export function PlanTab(): ReactElement {
  const key = useClusterKey();
  const [{ plan: chosen }, setView] = useViewState();
  const live = usePlans();
  const open = (name: string | undefined): void => setView({ plan: name });
  const destruction = useMutation({
    mutationFn: () => createPlan(key, { destroy: true }),
    onSuccess: ({ metadata }) => open(metadata.name),
  });
  if (chosen !== undefined) return <ChosenPlan live={live} name={chosen} onOther={open} />;
  return (
    <Stack hasGutter>
      <StackItem>
        <Plans live={live} destruction={destruction} onOpen={open} />
      </StackItem>
      <StackItem>
        <NewestRun />
      </StackItem>
    </Stack>
  );
}

type LivePlans = ReturnType<typeof usePlans>;

interface ChosenPlanProps {
  readonly live: LivePlans;
  readonly name: string;
  /** Shows another plan; undefined: all of them. */
  readonly onOther: (name: string | undefined) => void;
}

/** One plan in place of all, and the way back. */
function ChosenPlan({ live, name, onOther }: ChosenPlanProps): ReactElement {
  const { t } = useTranslation('cluster');
  const listed = live.items.find(({ metadata }) => metadata.name === name);
  return (
    <LiveContent of={live}>
      <Stack hasGutter>
        <StackItem>
          <Button variant="link" isInline onClick={() => onOther(undefined)}>
            {t('plan.all')}
          </Button>
        </StackItem>
        <StackItem>
          {listed ? <PlanDetail plan={listed} onOther={onOther} /> : <UnlistedPlan name={name} onOther={onOther} />}
        </StackItem>
      </Stack>
    </LiveContent>
  );
}

/** A plan that the list does not have: it was made a moment ago, or is gone. */
function UnlistedPlan({ name, onOther }: Omit<ChosenPlanProps, 'live'>): ReactElement {
  const { t } = useTranslation('cluster');
  const { project } = useClusterKey();
  const { data, error, refetch } = useQuery({
    queryKey: ['plan', project, name],
    queryFn: ({ signal }) => apiJson<Plan>(objectPath(KINDS.plan, name, project), { signal }),
    // What is gone once it was listed is not to come back from memory.
    gcTime: 0,
  });
  if (data) return <PlanDetail plan={data} onOther={onOther} />;
  if (error instanceof ApiError && error.status === 404) return <p>{t('plan.gone', { name })}</p>;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />;
}

interface PlansProps {
  readonly live: LivePlans;
  /** Plans what a deletion would destroy. */
  readonly destruction: UseMutationResult<Plan, Error, void>;
  readonly onOpen: (name: string) => void;
}

/** All plans of the cluster, and a way to one of its deletion. */
function Plans({ live, destruction, onOpen }: PlansProps): ReactElement {
  const { t } = useTranslation('cluster');
  const planDestruction = (
    <GuardedButton
      variant="secondary"
      needs={{ verb: 'create', kind: KINDS.plan }}
      isLoading={destruction.isPending}
      onClick={() => destruction.mutate()}
    >
      {t('plan.destroy')}
    </GuardedButton>
  );
  return (
    <Card>
      <CardHeader hasWrap actions={{ actions: planDestruction }}>
        <CardTitle component="h2">{t('plan.title')}</CardTitle>
      </CardHeader>
      <CardBody>
        <DeedError error={destruction.error} />
        <LiveContent of={live}>
          <PlanTable plans={live.items} onOpen={onOpen} />
        </LiveContent>
      </CardBody>
    </Card>
  );
}
