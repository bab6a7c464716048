import type { NotificationChannel } from '@crate/api';
import { Label } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { channelState } from './channel-state.js';

/** How a channel is, and why. */
export function ChannelStateLabel({ channel }: { readonly channel: NotificationChannel }): ReactElement {
  const { t } = useTranslation('notifications');
  const { word, status, message } = channelState(channel);
  return (
    <>
      <Label isCompact status={status}>
        {t(`state.${word}`)}
      </Label>{' '}
      {message}
    </>
  );
}
