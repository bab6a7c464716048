import type { ApiKey } from '@crate/api';
import { EmptyState, EmptyStateBody, Flex, Label, Stack, StackItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { Age } from '../../components/Age.js';
import { LiveContent } from '../../components/LiveContent.js';
import { CreateKeyDialog, RenewKeyDialog, RevokeKeyDialog } from './KeyDialogs.js';
import { useProject } from './project-context.js';
import { TokenDialog, type ShownToken } from './TokenDialog.js';

type Asked = { readonly what: 'create' } | { readonly what: 'renew' | 'revoke'; readonly apiKey: ApiKey };

/** Ways in for machines. */
export function KeysTab(): ReactElement {
  const { t } = useTranslation('projects');
  const { name: namespace } = useProject().metadata;
  const live = useLiveList<ApiKey>(KINDS.apiKey, { namespace });
  const [asked, setAsked] = useState<Asked>();
  const [shown, setShown] = useState<ShownToken>();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <LiveContent of={live}>
        <Stack hasGutter>
          <StackItem>
            <DeedButton
              needs={{ verb: 'create', kind: KINDS.apiKey, namespace }}
              onClick={() => setAsked({ what: 'create' })}
            >
              {t('key.create')}
            </DeedButton>
          </StackItem>
          <StackItem>
            {live.items.length === 0 ? (
              <EmptyState headingLevel="h2" titleText={t('key.none')}>
                <EmptyStateBody>{t('key.noneHelp')}</EmptyStateBody>
              </EmptyState>
            ) : (
              <KeyTable keys={live.items} onAsk={setAsked} />
            )}
          </StackItem>
        </Stack>
      </LiveContent>
      {asked?.what === 'create' && <CreateKeyDialog onIssued={setShown} onClose={close} />}
      {asked?.what === 'renew' && <RenewKeyDialog apiKey={asked.apiKey} onIssued={setShown} onClose={close} />}
      {asked?.what === 'revoke' && <RevokeKeyDialog apiKey={asked.apiKey} onClose={close} />}
      {shown && <TokenDialog shown={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onAsk: (asked: Asked) => void;
}

function KeyTable({ keys, onAsk }: KeyTableProps): ReactElement {
  const { t } = useTranslation('projects');
  return (
    <Table aria-label={t('nav.keys')} variant="compact" gridBreakPoint="grid-xl">
      <Thead>
        <Tr>
          <Th>{t('key.name')}</Th>
          <Th>{t('key.role')}</Th>
          <Th>{t('key.state')}</Th>
          <Th>{t('key.expires')}</Th>
          <Th>{t('key.used')}</Th>
          <Th>{t('key.by')}</Th>
          <Th screenReaderText={t('col.actions')} />
        </Tr>
      </Thead>
      <Tbody>
        {keys.map((apiKey) => (
          <KeyRow key={apiKey.metadata.name} apiKey={apiKey} onAsk={onAsk} />
        ))}
      </Tbody>
    </Table>
  );
}

interface KeyRowProps {
  readonly apiKey: ApiKey;
  readonly onAsk: (asked: Asked) => void;
}

function KeyRow({ apiKey, onAsk }: KeyRowProps): ReactElement {
  const { t } = useTranslation('projects');
  const { metadata, spec, status } = apiKey;
  const { name } = metadata;
  return (
    <Tr>
      <Td dataLabel={t('key.name')}>
        {name}
        {spec.description !== undefined && (
          <>
            <br />
            <small>{spec.description}</small>
          </>
        )}
      </Td>
      <Td dataLabel={t('key.role')}>{spec.role}</Td>
      <Td dataLabel={t('key.state')}>
        <KeyState apiKey={apiKey} />
      </Td>
      <Td dataLabel={t('key.expires')}>{dayOf(status?.expiresAt) ?? t('key.noToken')}</Td>
      <Td dataLabel={t('key.used')}>
        {status?.lastUsedAt === undefined ? t('key.never') : <Age since={status.lastUsedAt} />}
      </Td>
      <Td dataLabel={t('key.by')}>{status?.createdBy ?? '–'}</Td>
      <Td dataLabel={t('col.actions')}>
        <KeyActions apiKey={apiKey} onAsk={onAsk} />
      </Td>
    </Tr>
  );
}

function KeyState({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { t } = useTranslation('projects');
  const ready = apiKey.status?.conditions?.find(({ type }) => type === 'Ready');
  return (
    <Label isCompact status={ready?.status === 'True' ? 'success' : 'warning'}>
      {ready?.reason ?? t('account.unknown')}
    </Label>
  );
}

function KeyActions({ apiKey, onAsk }: KeyRowProps): ReactElement {
  const { t } = useTranslation('projects');
  const { name, namespace } = apiKey.metadata;
  return (
    <Flex>
      <DeedButton
        variant="secondary"
        size="sm"
        needs={{ verb: 'create', kind: KINDS.apiKey, subresource: 'token', namespace, name }}
        aria-label={t('key.renewOf', { name })}
        onClick={() => onAsk({ what: 'renew', apiKey })}
      >
        {t('key.renew')}
      </DeedButton>
      <DeedButton
        variant="danger"
        size="sm"
        needs={{ verb: 'delete', kind: KINDS.apiKey, namespace, name }}
        aria-label={t('key.revokeOf', { name })}
        onClick={() => onAsk({ what: 'revoke', apiKey })}
      >
        {t('key.revoke')}
      </DeedButton>
    </Flex>
  );
}

function dayOf(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toLocaleString();
}
