import type { Plan } from '@crate/api';
import { Alert, PageSection } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { phaseOf } from './plan/plan-phase.js';
import { useClusterKey } from './use-cluster-key.js';

/** Plans of the cluster that wait for somebody's decision, with the way to each; nothing when there are none. */
export function PlanAlert({ plans }: { readonly plans: readonly Plan[] }): ReactElement | null {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  if (plans.length === 0) return null;
  return (
    <PageSection aria-label={t('alert.plans')}>
      <Alert variant="warning" isInline component="h2" title={t('alert.plans')}>
        {plans.map((plan) => (
          <p key={plan.metadata.uid}>
            <Link to={`/clusters/${project}/${name}/plan`} search={{ plan: plan.metadata.name }}>
              {plan.metadata.name}
            </Link>
            : {phaseOf(plan).message}
          </p>
        ))}
      </Alert>
    </PageSection>
  );
}
