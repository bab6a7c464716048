import type { FleetHealth } from '@crate/api';
import { Icon, type IconComponentProps } from '@patternfly/react-core';
import {
  BanIcon,
  CheckCircleIcon,
  ExclamationCircleIcon,
  ExclamationTriangleIcon,
  InProgressIcon,
  PauseCircleIcon,
  TrashIcon,
} from '@patternfly/react-icons';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** The sign of each health, and its colour. */
export const HEALTH_ICONS: Readonly<
  Record<FleetHealth, { readonly icon: ReactElement; readonly status?: IconComponentProps['status'] }>
> = {
  Failing: { icon: <ExclamationCircleIcon />, status: 'danger' },
  Blocked: { icon: <BanIcon />, status: 'danger' },
  Degraded: { icon: <ExclamationTriangleIcon />, status: 'warning' },
  Progressing: { icon: <InProgressIcon />, status: 'info' },
  Deleting: { icon: <TrashIcon /> },
  Paused: { icon: <PauseCircleIcon />, status: 'custom' },
  Healthy: { icon: <CheckCircleIcon />, status: 'success' },
};

/** How a cluster stands, by word, colour and sign. */
export function HealthLabel({ health }: { readonly health: FleetHealth }): ReactElement {
  const { t } = useTranslation('fleet');
  const { icon, ...look } = HEALTH_ICONS[health];
  return (
    <span className="crate-fleet-word">
      <Icon isInline {...look}>
        {icon}
      </Icon>{' '}
      {t(`health.${health}`)}
    </span>
  );
}
