import { Alert, Button } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface BehindAlertProps {
  readonly onKeep: () => void;
  readonly onDrop: () => void;
}

/** Somebody else changed the cluster: a write would be refused, so that nothing of theirs is lost unseen. */
export function BehindAlert({ onKeep, onDrop }: BehindAlertProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Alert
      variant="warning"
      isInline
      isLiveRegion
      component="h2"
      title={t('yaml.behindTitle')}
      actionLinks={
        <>
          <Button variant="link" isInline onClick={onKeep}>
            {t('yaml.keep')}
          </Button>
          <Button variant="link" isInline onClick={onDrop}>
            {t('yaml.drop')}
          </Button>
        </>
      }
    >
      <p>{t('yaml.behind')}</p>
    </Alert>
  );
}
