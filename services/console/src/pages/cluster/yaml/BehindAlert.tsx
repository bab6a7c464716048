import { Alert, Button } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface BehindAlertProps {
  /** Whether neither can be done now. */
  readonly isBusy: boolean;
  readonly onKeep: () => void;
  readonly onDrop: () => void;
}

/** Somebody else changed the cluster: a write would be refused, so that nothing of theirs is lost unseen. */
export function BehindAlert({ isBusy, onKeep, onDrop }: BehindAlertProps): ReactElement {
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
          <Button variant="link" isInline isAriaDisabled={isBusy} onClick={onKeep}>
            {t('yaml.keep')}
          </Button>
          <Button variant="link" isInline isAriaDisabled={isBusy} onClick={onDrop}>
            {t('yaml.drop')}
          </Button>
        </>
      }
    >
      <p>{t('yaml.behind')}</p>
    </Alert>
  );
}
