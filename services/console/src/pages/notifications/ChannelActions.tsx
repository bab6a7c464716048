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

type Asked = 'edit' | 'remove';

interface ChannelActionsProps {
  readonly channel: NotificationChannel;
}

/** What can be done with a channel, and what came of the last test. */
export function ChannelActions({ channel }: ChannelActionsProps): ReactElement {
  const { name, namespace, generation } = channel.metadata;
  const queries = useQueryClient();
  const test = useMutation({
    // What came of it is about the channel as it was then.
    mutationFn: (_tested: number | undefined) => testChannel(channel),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries', namespace, name] }),
  });
  const pause = useMutation({
    mutationFn: () => pauseChannel(channel, !channel.spec.paused),
  });
  const [asked, setAsked] = useState<Asked>();
  // What came of one deed goes with the next.
  const askTest = (): void => {
    pause.reset();
    test.mutate(generation);
  };
  const askPause = (): void => {
    test.reset();
    pause.mutate();
  };
  const tested = test.variables === generation ? test : undefined;
  const close = (): void => setAsked(undefined);
  return (
    <>
      <StackItem>
        <ChannelButtons
          channel={channel}
          test={{ ask: askTest, isPending: test.isPending }}
          pause={{ ask: askPause, isPending: pause.isPending }}
          onAsk={setAsked}
        />
      </StackItem>
      <StackItem>
        <DeedError error={tested?.error ?? pause.error} />
        {tested?.data && <TestResult attempt={tested.data.attempt} />}
      </StackItem>
      {asked === 'edit' && <ChannelDialog project={namespace ?? ''} channel={channel} onClose={close} />}
      {asked === 'remove' && <RemoveDialog channel={channel} onClose={close} />}
    </>
  );
}

/** Something that is done at once. */
interface Deed {
  readonly ask: () => void;
  readonly isPending: boolean;
}

interface ChannelButtonsProps extends ChannelActionsProps {
  readonly test: Deed;
  /** Or resumes. */
  readonly pause: Deed;
  readonly onAsk: (asked: Asked) => void;
}

function ChannelButtons({ channel, test, pause, onAsk }: ChannelButtonsProps): ReactElement {
  const { t } = useTranslation('notifications');
  const { name, namespace } = channel.metadata;
  const needs = { kind: KINDS.notificationChannel, namespace, name } as const;
  return (
    <Flex>
      <DeedButton
        needs={{ ...needs, verb: 'create', subresource: 'test' }}
        isLoading={test.isPending}
        onClick={test.ask}
      >
        {t('test.send')}
      </DeedButton>
      <DeedButton variant="secondary" needs={{ ...needs, verb: 'patch' }} onClick={() => onAsk('edit')}>
        {t('edit')}
      </DeedButton>
      <DeedButton
        variant="secondary"
        needs={{ ...needs, verb: 'patch' }}
        isLoading={pause.isPending}
        onClick={pause.ask}
      >
        {channel.spec.paused ? t('resume') : t('pause')}
      </DeedButton>
      <DeedButton variant="danger" needs={{ ...needs, verb: 'delete' }} onClick={() => onAsk('remove')}>
        {t('remove')}
      </DeedButton>
    </Flex>
  );
}

function RemoveDialog({ channel, onClose }: ChannelActionsProps & { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <DeedDialog
      isDanger
      title={t('removeTitle', { name: channel.metadata.name })}
      submit={t('remove')}
      onSubmit={() => removeChannel(channel)}
      onClose={onClose}
    >
      <p>{t('removeBody')}</p>
    </DeedDialog>
  );
}
