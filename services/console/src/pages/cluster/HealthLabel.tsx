import type { FleetHealth } from '@crate/api';
import { Label, type LabelProps } from '@patternfly/react-core';
import { PauseCircleIcon } from '@patternfly/react-icons/dist/esm/icons/pause-circle-icon';
import { InProgressIcon } from '@patternfly/react-icons/dist/esm/icons/in-progress-icon';
import { TrashIcon } from '@patternfly/react-icons/dist/esm/icons/trash-icon';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const LOOKS: Readonly<Record<FleetHealth, Pick<LabelProps, 'status' | 'color' | 'icon'>>> = {
  Failing: { status: 'danger' },
  Blocked: { status: 'danger' },
  Degraded: { status: 'warning' },
  Progressing: { color: 'blue', icon: <InProgressIcon /> },
  Deleting: { color: 'grey', icon: <TrashIcon /> },
  Paused: { color: 'grey', icon: <PauseCircleIcon /> },
  Healthy: { status: 'success' },
};

/** How a cluster stands: by a word, a shape and a colour. */
export function HealthLabel({ health }: { readonly health: FleetHealth }): ReactElement {
  const { t } = useTranslation('cluster');
  return <Label {...LOOKS[health]}>{t(`health.${health}`)}</Label>;
}
