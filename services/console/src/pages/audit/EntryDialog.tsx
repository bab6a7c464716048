import type { AuditEvent } from '@crate/api';
import {
  Button,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  Stack,
  StackItem,
} from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useId, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { objectText } from './audit-search.js';
import { Changes } from './Changes.js';
import { OutcomeLabel } from './OutcomeLabel.js';

/** One entry, `namespace/name`, whether or not the search finds it: a link to it works for as long as it is kept. */
export function EntryDialog({ entry }: { readonly entry: string }): ReactElement {
  const { t } = useTranslation('audit');
  const [, setView] = useViewState();
  const label = useId();
  const [namespace = '', name = ''] = entry.split('/');
  const { data, error, refetch } = useQuery({
    queryKey: ['audit-entry', entry],
    queryFn: ({ signal }) => apiJson<AuditEvent>(objectPath(KINDS.auditEvent, name, namespace), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const close = (): void => setView({ entry: undefined });
  const title = data ? t('entry.title', { verb: data.verb, object: objectText(data) }) : name;
  return (
    <Modal isOpen variant="large" onClose={close} aria-labelledby={label}>
      <ModalHeader title={title} labelId={label} />
      <ModalBody>
        {data ? (
          <Entry entry={data} />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingState />
        )}
      </ModalBody>
      <ModalFooter>
        <Button onClick={close}>{t('common:actions.close')}</Button>
      </ModalFooter>
    </Modal>
  );
}

function Entry({ entry }: { readonly entry: AuditEvent }): ReactElement {
  const { t } = useTranslation('audit');
  const { time, user, groups, via, address, userAgent, message, service, traceId, chain, repeated, object } = entry;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('entry.time'), new Date(time).toLocaleString()],
    [t('entry.user'), user],
    [t('entry.groups'), groups.join(', ')],
    [t('entry.via'), via],
    [t('entry.address'), address],
    [t('entry.userAgent'), userAgent],
    [t('col.project'), object.namespace],
    [t('entry.outcome'), <OutcomeLabel key="outcome" entry={entry} />],
    [t(entry.code < 400 ? 'entry.remark' : 'entry.message'), message],
    [t('entry.dryRun'), entry.dryRun ? t('common:condition.true') : undefined],
    [t('entry.service'), service],
    [t('entry.trace'), <code key="trace">{traceId}</code>],
    [t('entry.chain'), <code key="chain">{`${chain.seq}: ${chain.hash}`}</code>],
    [t('entry.also'), entry.alsoChanged?.join(', ')],
  ];
  return (
    <Stack hasGutter>
      {repeated !== undefined && <StackItem>{t('entry.repeated', { count: repeated })}</StackItem>}
      <StackItem>
        <DescriptionList columnModifier={{ lg: '2Col' }} isCompact>
          {facts
            .filter(([, fact]) => fact !== undefined && fact !== '')
            .map(([term, fact]) => (
              <DescriptionListGroup key={term}>
                <DescriptionListTerm>{term}</DescriptionListTerm>
                <DescriptionListDescription>{fact}</DescriptionListDescription>
              </DescriptionListGroup>
            ))}
        </DescriptionList>
      </StackItem>
      <StackItem>
        <Changes entry={entry} />
      </StackItem>
    </Stack>
  );
}
