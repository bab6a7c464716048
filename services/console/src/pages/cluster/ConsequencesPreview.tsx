import { Alert, List, ListItem, Spinner } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedError } from '../../components/access/DeedError.js';
import { Name } from '../../components/Name.js';
import type { ClusterChange } from './dry-run.js';
import { useDryRun } from './use-dry-run.js';

/** What a change would lead to, worked out by the server without doing it. */
export function ConsequencesPreview({ change }: { readonly change: ClusterChange }): ReactElement {
  const { t } = useTranslation('cluster');
  const { data, error, isFetching } = useDryRun(change);
  if (error) return <DeedError error={error} title={t('preview.refused')} />;
  return (
    <Alert
      variant="info"
      isInline
      component="h2"
      title={t('preview.title')}
      aria-live="polite"
      aria-busy={isFetching}
      {...(isFetching ? { customIcon: <Spinner size="md" aria-label={t('preview.working')} /> } : {})}
    >
      {isFetching && <p>{t('preview.working')}</p>}
      {!isFetching && data?.warnings.length === 0 && <p>{t('preview.nothing')}</p>}
      {!isFetching && (
        <List>
          {(data?.warnings ?? []).map((warning) => (
            <ListItem key={warning}>
              <Name>{warning}</Name>
            </ListItem>
          ))}
        </List>
      )}
    </Alert>
  );
}
