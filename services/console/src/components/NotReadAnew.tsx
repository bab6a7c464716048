import { Alert } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.js';

/** Above what was read once, and cannot be read anew: why it may be old; nothing while there is no error. */
export function NotReadAnew({ error }: { readonly error: Error | null }): ReactElement | null {
  const { t } = useTranslation();
  if (!error) return null;
  // Why there is no answer browsers say in words of their own.
  const isUnanswered = error instanceof ApiError && error.status === 0;
  return (
    <Alert variant="warning" isInline isLiveRegion component="h2" title={t('state.notReadAnew')}>
      <p>{isUnanswered ? t('state.unreachableTitle') : error.message}</p>
    </Alert>
  );
}
