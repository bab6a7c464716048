import type { AuditEvent } from '@crate/api';
import { Label } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Whether a call was let through, and how it ended. */
export function OutcomeLabel({ entry: { decision, code, reason } }: { readonly entry: AuditEvent }): ReactElement {
  const { t } = useTranslation('audit');
  const status = decision === 'denied' ? 'danger' : code >= 400 ? 'warning' : 'success';
  return (
    <Label isCompact status={status}>
      {[t(`search.${decision}`), code, reason].filter((part) => part !== undefined).join(' · ')}
    </Label>
  );
}
