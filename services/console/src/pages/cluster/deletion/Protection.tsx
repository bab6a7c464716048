import { Alert, Checkbox } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ConsentText } from './ConsentText.js';
import { useAdministers } from './use-administers.js';
import type { Consents } from './use-consents.js';

interface ProtectionProps {
  readonly consents: Consents;
  readonly isConfirmed: boolean;
  readonly onConfirm: (isConfirmed: boolean) => void;
}

/** What the deletion of a protected cluster still needs, or by whose word it may go. */
export function Protection({ consents, isConfirmed, onConfirm }: ProtectionProps): ReactElement {
  const { t } = useTranslation('cluster');
  const administers = useAdministers();
  const id = useId();
  if (!consents.isMissing)
    return (
      <Alert variant="info" isInline component="h2" title={t('consent.title')}>
        <ConsentText consents={consents} />
      </Alert>
    );
  return (
    <Alert variant="warning" isInline component="h2" title={t('delete.protected')}>
      <ConsentText consents={consents} />
      <p>{t(administers ? 'delete.protectedHow' : 'delete.protectedSecond')}</p>
      {administers && (
        <Checkbox id={id} label={t('delete.confirm')} isChecked={isConfirmed} onChange={(_, isOn) => onConfirm(isOn)} />
      )}
    </Alert>
  );
}
