import type { Plan } from '@crate/api';
import { Label } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { phaseOf, PHASE_STATUS } from './plan-phase.js';

/** What became of a plan so far. */
export function PlanPhaseLabel({ plan }: { readonly plan: Plan }): ReactElement {
  const { t } = useTranslation('cluster');
  const { phase } = phaseOf(plan);
  return (
    <Label isCompact status={PHASE_STATUS[phase]}>
      {t(`plan.is.${phase}`)}
    </Label>
  );
}
