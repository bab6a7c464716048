import type { PlatformHealth, ReplicaState, ServiceState } from '@crate/api';
import { Label, type LabelProps } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

type State = PlatformHealth | ServiceState | ReplicaState | 'live' | 'orphaned';

const LOOKS: Readonly<Partial<Record<State, LabelProps['status']>>> = {
  Healthy: 'success',
  Ready: 'success',
  live: 'success',
  Degraded: 'warning',
  orphaned: 'warning',
  NotReady: 'danger',
  Failing: 'danger',
  Silent: 'danger',
  Unknown: 'danger',
};

/** How something is, by word, colour and sign. */
export function StateLabel({ state }: { readonly state: State }): ReactElement {
  const { t } = useTranslation('platform');
  const status = LOOKS[state];
  return (
    <Label isCompact {...(status === undefined ? {} : { status })}>
      {t(`state.${state}`)}
    </Label>
  );
}
