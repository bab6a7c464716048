import { Alert, AlertActionCloseButton } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { InSight } from '../../../components/InSight.js';
import { useClusterKey } from '../use-cluster-key.js';
import type { StateFamily } from './state-family.js';

interface RestoredAlertProps {
  readonly family: StateFamily;
  /** Of the version that was restored. */
  readonly serial: string;
  readonly onClose: () => void;
}

/** That an older version is in place again, and where to see what the platform makes of it. */
export function RestoredAlert({ family, serial, onClose }: RestoredAlertProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  return (
    <InSight of={serial}>
      <Alert
        variant="success"
        isInline
        isLiveRegion
        component="h2"
        title={t('states.restored', { serial })}
        actionClose={<AlertActionCloseButton title={t('common:actions.close')} onClose={onClose} />}
      >
        <p>{t(`states.restoredThen.${family.name}`)}</p>
        <Link to={`/clusters/${project}/${name}/logs`}>{t('states.toLogs')}</Link>
      </Alert>
    </InSight>
  );
}
