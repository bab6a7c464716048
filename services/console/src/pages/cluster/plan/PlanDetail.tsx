import type { Plan } from '@crate/api';
import { Alert, Card, CardBody, CardHeader, CardTitle, Stack } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { useCluster } from '../cluster-context.js';
import { PlanConsequences } from './PlanConsequences.js';
import { PlanDecision } from './PlanDecision.js';
import { PlanPhaseLabel } from './PlanPhaseLabel.js';
import { hasWorldMoved, isBehind, isRepeatable, phaseOf } from './plan-phase.js';

interface PlanDetailProps {
  readonly plan: Plan;
  /** Shows another plan; undefined: all of them. */
  readonly onOther: (name: string | undefined) => void;
}

/** One plan: what it leads to, and the decision about it. */
export function PlanDetail({ plan, onOther }: PlanDetailProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { phase, message } = phaseOf(plan);
  const isOutdated = isBehind(plan, useCluster());
  const { expiresAt, plannedBy, approval, consequences } = plan.status ?? {};
  return (
    <Card>
      <CardHeader>
        <CardTitle component="h2">
          {plan.metadata.name} <PlanPhaseLabel plan={plan} />
        </CardTitle>
      </CardHeader>
      <CardBody>
        <Stack hasGutter>
          <p role="status">{message}</p>
          <p>
            {plannedBy !== undefined && t('plan.madeBy', { by: plannedBy })}{' '}
            {approval && t('plan.approvedBy', { by: approval.by })}{' '}
            {phase === 'Ready' &&
              expiresAt !== undefined &&
              t('plan.until', { at: new Date(expiresAt).toLocaleString() })}
          </p>
          {isOutdated && (
            <Alert variant="warning" isInline component="h3" title={t('plan.movedOn')}>
              <p>{t('plan.movedOnBody')}</p>
              <WayOn plan={plan} />
            </Alert>
          )}
          <PlanEnd plan={plan} />
          <PlanDecision plan={plan} onOther={onOther} />
          {consequences && <PlanConsequences consequences={consequences} />}
          <small>
            {t('plan.age')} <Age since={plan.metadata.creationTimestamp} />
          </small>
        </Stack>
      </CardBody>
    </Card>
  );
}

/** Why a plan was not carried out. */
function PlanEnd({ plan }: { readonly plan: Plan }): ReactElement | null {
  const { t } = useTranslation('cluster');
  const { failure, end } = plan.status ?? {};
  const { phase } = phaseOf(plan);
  if (hasWorldMoved(plan)) {
    return (
      <Alert variant="warning" isInline component="h3" title={t('plan.movedTitle')}>
        <p>{failure?.message ?? end?.message}</p>
        <p>{t('plan.moved')}</p>
        <WayOn plan={plan} />
      </Alert>
    );
  }
  if (!failure || (phase !== 'Refused' && phase !== 'Failed')) return null;
  return (
    <Alert variant="danger" isInline component="h3" title={`${t(`plan.is.${phase}`)}: ${failure.code}`}>
      <p>{failure.message}</p>
      {failure.field !== undefined && <p>{t('alert.field', { field: failure.field })}</p>}
      {failure.remedy !== undefined && <p>{t('alert.remedy', { remedy: failure.remedy })}</p>}
    </Alert>
  );
}

/** What is to be done about a plan that is not carried out as it is. */
function WayOn({ plan }: { readonly plan: Plan }): ReactElement {
  const { t } = useTranslation('cluster');
  return <p>{t(isRepeatable(plan, useCluster()) ? 'plan.lookAgain' : 'plan.anewAsYaml')}</p>;
}
