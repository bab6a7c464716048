import type { NotificationChannel } from '@crate/api';
import { EmptyState, PageSection, Stack, StackItem } from '@patternfly/react-core';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveObject } from '../../api/use-live.js';
import { LiveContent } from '../../components/LiveContent.js';
import { PageHeading } from '../../components/PageHeading.js';
import notifications from '../../i18n/en/notifications.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { ChannelActions } from './ChannelActions.js';
import { ChannelFacts } from './ChannelFacts.js';
import { ChannelStateLabel } from './ChannelStateLabel.js';
import { DeliveryLog } from './DeliveryLog.js';

addStrings('notifications', notifications);

/** One channel: how it is, what it sends, and what came of each message. */
export function ChannelPage(): ReactElement {
  const { t } = useTranslation('notifications');
  const { project = '', channel: name = '' }: { readonly project?: string; readonly channel?: string } = useParams({
    strict: false,
  });
  const live = useLiveObject<NotificationChannel>(KINDS.notificationChannel, name, project);
  const channel = live.object;
  return (
    <>
      <PageHeading
        title={name}
        labels={<span role="status">{channel && <ChannelStateLabel channel={channel} />}</span>}
        subtitle={
          <Link to="/notifications" search={{ project }}>
            {t('back', { project })}
          </Link>
        }
      />
      <PageSection isFilled aria-label={name}>
        <LiveContent of={live}>
          {channel ? (
            <Stack hasGutter>
              <ChannelActions channel={channel} />
              <StackItem>
                <ChannelFacts channel={channel} />
              </StackItem>
              <DeliveryLog channel={channel} />
            </Stack>
          ) : (
            <EmptyState headingLevel="h2" titleText={t('gone', { name, project })} />
          )}
        </LiveContent>
      </PageSection>
    </>
  );
}
