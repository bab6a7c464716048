import type { FleetHealth } from '@crate/api';
import type { IconComponentProps } from '@patternfly/react-core';
import {
  BanIcon,
  CheckCircleIcon,
  ExclamationCircleIcon,
  ExclamationTriangleIcon,
  InProgressIcon,
  PauseCircleIcon,
  TrashIcon,
} from '@patternfly/react-icons';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';

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

interface HealthLabelProps {
  readonly health: FleetHealth;
  readonly t: TFunction;
}

/** How a cluster stands, by word, colour and sign; plain elements, as each row has one. */
export function HealthLabel({ health, t }: HealthLabelProps): ReactElement {
  const { icon, status } = HEALTH_ICONS[health];
  return (
    <span className="crate-fleet-word">
      <span className={`crate-fleet-sign ${status ?? ''}`}>{icon}</span> {t(`health.${health}`)}
    </span>
  );
}
