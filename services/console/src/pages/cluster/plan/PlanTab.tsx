import { Button, Card, CardBody, CardHeader, CardTitle, Stack, StackItem } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { LiveContent } from '../../../components/LiveContent.js';
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
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const [{ plan: chosen }, setView] = useViewState();
  const live = usePlans();
  const plan = live.items.find(({ metadata }) => metadata.name === chosen);
  const open = (name: string | undefined): void => setView({ plan: name });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => createPlan(key, { destroy: true }),
    onSuccess: ({ metadata }) => open(metadata.name),
  });
  if (chosen !== undefined) {
    return (
      <LiveContent of={live}>
        <Stack hasGutter>
          <StackItem>
            <Button variant="link" isInline onClick={() => open(undefined)}>
              {t('plan.all')}
            </Button>
          </StackItem>
          <StackItem>
            {plan ? <PlanDetail plan={plan} onOther={open} /> : <p>{t('plan.gone', { name: chosen })}</p>}
          </StackItem>
        </Stack>
      </LiveContent>
    );
  }
  return (
    <Stack hasGutter>
      <StackItem>
        <Card>
          <CardHeader
            hasWrap
            actions={{
              actions: (
                <GuardedButton
                  variant="secondary"
                  needs={{ verb: 'create', kind: KINDS.plan }}
                  isLoading={isPending}
                  onClick={() => mutate()}
                >
                  {t('plan.destroy')}
                </GuardedButton>
              ),
            }}
          >
            <CardTitle component="h2">{t('plan.title')}</CardTitle>
          </CardHeader>
          <CardBody>
            <DeedError error={error} />
            <LiveContent of={live}>
              <PlanTable plans={live.items} onOpen={open} />
            </LiveContent>
          </CardBody>
        </Card>
      </StackItem>
      <StackItem>
        <NewestRun />
      </StackItem>
    </Stack>
  );
}
