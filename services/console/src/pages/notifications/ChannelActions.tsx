import type { NotificationChannel } from '@crate/api';
import { Flex, StackItem } from '@patternfly/react-core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { DeedError } from '../../components/access/DeedError.js';
import { ChannelDialog } from './ChannelDialog.js';
import { pauseChannel, removeChannel, testChannel } from './channel-writes.js';
import { TestResult } from './TestResult.js';

/** What can be done with a channel, and what came of the last test. */
export function ChannelActions({ channel }: { readonly channel: NotificationChannel }): ReactElement {
  const { t } = useTranslation('notifications');
  const { name, namespace } = channel.metadata;
  const { paused } = channel.spec;
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => testChannel(channel),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries', namespace, name] }),
  });
  const pause = useMutation({ mutationFn: () => pauseChannel(channel, !paused) });
  const [asked, setAsked] = useState<'edit' | 'remove'>();
  const needs = { kind: KINDS.notificationChannel, namespace, name } as const;
  const close = (): void => setAsked(undefined);
  return (
    <>
      <StackItem>
        <Flex>
          <DeedButton
            needs={{ ...needs, verb: 'create', subresource: 'test' }}
            isLoading={test.isPending}
            onClick={() => test.mutate()}
          >
            {t('test.send')}
          </DeedButton>
          <DeedButton variant="secondary" needs={{ ...needs, verb: 'patch' }} onClick={() => setAsked('edit')}>
            {t('edit')}
          </DeedButton>
          <DeedButton
            variant="secondary"
            needs={{ ...needs, verb: 'patch' }}
            isLoading={pause.isPending}
            onClick={() => pause.mutate()}
          >
            {paused ? t('resume') : t('pause')}
          </DeedButton>
          <DeedButton variant="danger" needs={{ ...needs, verb: 'delete' }} onClick={() => setAsked('remove')}>
            {t('remove')}
          </DeedButton>
        </Flex>
      </StackItem>
      <StackItem>
        <DeedError error={test.error ?? pause.error} />
        {test.data && <TestResult attempt={test.data.attempt} />}
      </StackItem>
      {asked === 'edit' && <ChannelDialog project={namespace ?? ''} channel={channel} onClose={close} />}
      {asked === 'remove' && (
        <DeedDialog
          isDanger
          title={t('removeTitle', { name })}
          submit={t('remove')}
          onSubmit={() => removeChannel(channel)}
          onClose={close}
        >
          <p>{t('removeBody')}</p>
        </DeedDialog>
      )}
    </>
  );
}
