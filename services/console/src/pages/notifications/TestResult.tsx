import type { NotificationAttempt } from '@crate/api';
import { Alert } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AttemptText } from './AttemptText.js';

/** What came of a test message. */
export function TestResult({ attempt }: { readonly attempt: NotificationAttempt }): ReactElement {
  const { t } = useTranslation('notifications');
  const isDelivered = attempt.outcome === 'Delivered';
  return (
    <Alert
      isInline
      isLiveRegion
      component="h2"
      variant={isDelivered ? 'success' : 'danger'}
      title={t(isDelivered ? 'test.delivered' : 'test.failed')}
    >
      <AttemptText attempt={attempt} />
    </Alert>
  );
}
