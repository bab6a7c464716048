import { Alert, Content, PageSection, type AlertProps } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import type { ClusterHealth } from './cluster-health.js';

const VARIANTS: Partial<Record<ClusterHealth['health'], AlertProps['variant']>> = {
  Failing: 'danger',
  Blocked: 'danger',
  Degraded: 'warning',
  Paused: 'info',
};

/** Why the cluster does not stand as it should, and what to do; nothing when all is well or under way. */
export function HealthAlert({ health }: { readonly health: ClusterHealth }): ReactElement | null {
  const { t } = useTranslation('cluster');
  const variant = VARIANTS[health.health];
  if (variant === undefined) return null;
  const { message, since, advice, field, code, traceId } = health;
  const remedy = health.remedy ?? (advice && t(`alert.advice.${advice}`));
  const title =
    code === undefined ? t(`alert.${health.health}`) : t('alert.coded', { code, what: t(`alert.${health.health}`) });
  return (
    <PageSection aria-label={t('alert.label')}>
      <Alert variant={variant} isInline isLiveRegion component="h2" title={title}>
        <Content>
          {message !== undefined && message !== '' && <p>{message}</p>}
          {since !== undefined && (
            <div>
              {t('alert.since')} <Age since={since} />
            </div>
          )}
          {field !== undefined && <p>{t('alert.field', { field })}</p>}
          {remedy !== undefined && <p>{t('alert.remedy', { remedy })}</p>}
          {traceId !== undefined && <small>{t('alert.trace', { traceId })}</small>}
        </Content>
      </Alert>
    </PageSection>
  );
}
