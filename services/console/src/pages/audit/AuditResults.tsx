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
    fields: Object.fromEntries(FIELDS.map((name) => [name, state[name]])),
  };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', search],
    queryFn: ({ signal }) => findNow(search, signal),
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  return (
    <Stack hasGutter>
      <DeedError error={error} title={t('common:state.failedTitle')} />
      <Flex>
        <Button variant="secondary" isLoading={isFetching} onClick={() => void refetch()}>
          {t('refresh')}
        </Button>
        <Button variant="link" component="a" href={exportPath(search, data.askedMs)} download="audit.jsonl">
          {t('export')}
        </Button>
      </Flex>
      <StackItem>
        <Entries found={data} />
      </StackItem>
    </Stack>
  );
}

function Entries({ found: { entries, isCut } }: { readonly found: FoundEntries }): ReactElement {
  const { t } = useTranslation('audit');
  const [{ page }] = useViewState();
  if (entries.length === 0) {
    return (
      <EmptyState headingLevel="h2" titleText={t('none')}>
        <EmptyStateBody>{t('noneHelp')}</EmptyStateBody>
      </EmptyState>
    );
  }
  return (
    <>
      {isCut && <Alert variant="warning" isInline component="h2" title={t('tooMany', { count: MOST_ENTRIES })} />}
      <p role="status">{t('count', { count: entries.length })}</p>
      <EntryTable entries={pageOf(entries, page, PER_PAGE)} />
      <Pages count={entries.length} perPage={PER_PAGE} label={t('pages')} />
    </>
  );
}
