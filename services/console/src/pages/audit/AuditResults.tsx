import { Alert, Button, EmptyState, EmptyStateBody, Flex, Stack, StackItem } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from '../../components/access/DeedError.js';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { pageOf, Pages } from '../../components/subpages/Pages.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { exportPath, FIELDS, findNow, type AuditSearch } from './audit-search.js';
import { EntryTable } from './EntryTable.js';
import { MOST_ENTRIES, type FoundEntries } from './newest-entries.js';

const PER_PAGE = 50;

/** The entries that the URL asks for. */
export function AuditResults({ project }: { readonly project: string | undefined }): ReactElement {
  const { t } = useTranslation('audit');
  const [state] = useViewState();
  const search: AuditSearch = {
    project,
    window: state['window'],
    until: state['until'],
    fields: Object.fromEntries(FIELDS.map((name) => [name, state[name]])),
  };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', search],
    queryFn: ({ signal }) => findNow(search, signal),
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <Stack hasGutter>
      <DeedError error={error} title={t('common:state.failedTitle')} />
      {data && (
        <Flex>
          <Button variant="secondary" isLoading={isFetching} onClick={() => void refetch()}>
            {t('refresh')}
          </Button>
          <Button variant="link" component="a" href={exportPath(search, data.askedMs)} download="audit.jsonl">
            {t('export')}
          </Button>
        </Flex>
      )}
      {data?.isCut === true && (
        <Alert variant="warning" isInline component="h2" title={t('tooMany', { count: MOST_ENTRIES })} />
      )}
      {/* There before its text is: only so is every text told. */}
      <div role="status">{data ? <Standing count={data.entries.length} /> : <LoadingState />}</div>
      {data && <Entries entries={data.entries} />}
    </Stack>
  );
}

function Standing({ count }: { readonly count: number }): ReactElement {
  const { t } = useTranslation('audit');
  if (count > 0) return <p>{t('count', { count })}</p>;
  return (
    <EmptyState headingLevel="h2" titleText={t('none')}>
      <EmptyStateBody>{t('noneHelp')}</EmptyStateBody>
    </EmptyState>
  );
}

function Entries({ entries }: { readonly entries: FoundEntries['entries'] }): ReactElement | null {
  const { t } = useTranslation('audit');
  const [{ page }] = useViewState();
  if (entries.length === 0) return null;
  return (
    <StackItem>
      <EntryTable entries={pageOf(entries, page, PER_PAGE)} />
      <Pages count={entries.length} perPage={PER_PAGE} label={t('pages')} />
    </StackItem>
  );
}
