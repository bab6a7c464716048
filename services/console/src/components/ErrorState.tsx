import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  List,
  ListItem,
} from '@patternfly/react-core';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.js';
import { isGone } from '../app/reload.js';

/** In place of what could not be shown: what happened, what to do, and by which trace it is found. */
export function ErrorState({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }): ReactElement {
  const { t } = useTranslation();
  const { title, help, mayRetry } = wordsFor(error, t);
  const causes = error instanceof ApiError ? error.causes : [];
  const traceId = error instanceof ApiError ? error.traceId : undefined;
  return (
    <EmptyState headingLevel="h2" titleText={title} status={mayRetry ? 'danger' : 'warning'} role="alert">
      <EmptyStateBody>
        {error.message !== title && <p>{error.message}</p>}
        {causes.length > 0 && (
          <List isPlain>
            {causes.map(({ field, message }) => (
              <ListItem key={`${field ?? ''}${message}`}>
                {field === undefined ? message : `${field}: ${message}`}
              </ListItem>
            ))}
          </List>
        )}
        {help !== undefined && <p>{help}</p>}
        {traceId !== undefined && <small>{t('state.trace', { traceId })}</small>}
      </EmptyStateBody>
      {mayRetry && onRetry && (
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button variant="primary" onClick={onRetry}>
              {t('state.retry')}
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

function wordsFor(error: Error, t: TFunction): { title: string; help?: string; mayRetry: boolean } {
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 403) return { title: t('state.forbiddenTitle'), help: t('state.forbiddenHelp'), mayRetry: false };
  if (status === 404) return { title: t('state.missingTitle'), help: t('state.missingHelp'), mayRetry: false };
  if (status === 0) return { title: t('state.unreachableTitle'), help: t('state.unreachableHelp'), mayRetry: true };
  if (isGone(error)) return { title: t('state.failedTitle'), help: t('state.goneHelp'), mayRetry: true };
  return { title: t('state.failedTitle'), mayRetry: true };
}
