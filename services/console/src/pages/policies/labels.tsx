import type { PolicyReportOutcome, PolicySeverity } from '@crate/api';
import { Label, type LabelProps } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const OUTCOME_STATUS: Readonly<Record<PolicyReportOutcome, LabelProps['status']>> = {
  pass: 'success',
  fail: 'danger',
  warn: 'warning',
  error: 'danger',
  skip: 'info',
};
const SEVERITY_COLOR: Readonly<Record<PolicySeverity, LabelProps['color']>> = {
  critical: 'red',
  high: 'orange',
  medium: 'yellow',
  low: 'blue',
  info: 'grey',
};

/** How a rule or a control stands. */
export function OutcomeLabel({ outcome }: { readonly outcome: PolicyReportOutcome }): ReactElement {
  const { t } = useTranslation('policies');
  return (
    <Label isCompact status={OUTCOME_STATUS[outcome]}>
      {t(`outcome.${outcome}`)}
    </Label>
  );
}

/** How bad it is when a rule is broken. */
export function SeverityLabel({ severity }: { readonly severity: PolicySeverity }): ReactElement {
  const { t } = useTranslation('policies');
  return (
    <Label isCompact color={SEVERITY_COLOR[severity]}>
      {t(`severity.${severity}`)}
    </Label>
  );
}
