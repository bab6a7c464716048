import { Alert } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Above what was read once, and cannot be read anew: why it may be old; nothing while there is no error. */
export function NotReadAnew({ error }: { readonly error: Error | null }): ReactElement | null {
  const { t } = useTranslation();
  if (!error) return null;
  return (
    <Alert variant="warning" isInline isLiveRegion component="h2" title={t('state.notReadAnew')}>
      <p>{error.message}</p>
    </Alert>
  );
}
