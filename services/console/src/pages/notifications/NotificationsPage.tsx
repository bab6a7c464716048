import type { NotificationChannel } from '@crate/api';
import { EmptyState, EmptyStateBody, PageSection, Stack, StackItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { LiveContent } from '../../components/LiveContent.js';
import { PageHeading } from '../../components/PageHeading.js';
import { ProjectChoice } from '../../components/subpages/ProjectChoice.js';
import notifications from '../../i18n/en/notifications.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { ChannelDialog } from './ChannelDialog.js';
import { ChannelTable } from './ChannelTable.js';

addStrings('notifications', notifications);

/** Where a Project hears of what happens in it. */
export function NotificationsPage(): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <>
      <PageHeading title={t('title')} subtitle={t('subtitle')} />
      <PageSection isFilled aria-label={t('title')}>
        <ProjectChoice>
          {(project, choice) => (
            <Stack hasGutter>
              <StackItem>{choice}</StackItem>
              <ProjectChannels key={project} project={project} />
            </Stack>
          )}
        </ProjectChoice>
      </PageSection>
    </>
  );
}

function ProjectChannels({ project }: { readonly project: string }): ReactElement {
  const { t } = useTranslation('notifications');
  const live = useLiveList<NotificationChannel>(KINDS.notificationChannel, { namespace: project });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <StackItem>
        <DeedButton
          needs={{ verb: 'create', kind: KINDS.notificationChannel, namespace: project }}
          onClick={() => setAdding(true)}
        >
          {t('add')}
        </DeedButton>
      </StackItem>
      <StackItem>
        <LiveContent of={live}>
          {live.items.length === 0 ? (
            <EmptyState headingLevel="h2" titleText={t('none')}>
              <EmptyStateBody>{t('noneHelp')}</EmptyStateBody>
            </EmptyState>
          ) : (
            <ChannelTable channels={live.items} />
          )}
        </LiveContent>
      </StackItem>
      {isAdding && <ChannelDialog project={project} onClose={() => setAdding(false)} />}
    </>
  );
}
