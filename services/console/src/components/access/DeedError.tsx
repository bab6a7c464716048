import { Alert, List, ListItem } from '@patternfly/react-core';
import { useEffect, useRef, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error.js';

interface DeedErrorProps {
  readonly error: Error | null | undefined;
  /** Absent: that it was not done, or may have been where no answer came. */
  readonly title?: string;
}

/** Why something that was asked for was not done; nothing while there is no error. */
export function DeedError({ error, title }: DeedErrorProps): ReactElement | null {
  const { t } = useTranslation();
  const alert = useRef<HTMLDivElement>(null);
  // A long form is scrolled: what is said at its end would be said to nobody.
  useEffect(() => {
    if (error) alert.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (!error) return null;
  const { causes: all, traceId } = error instanceof ApiError ? error : { causes: [], traceId: undefined };
  const isUnanswered = error instanceof ApiError && error.isUnanswered;
  // The message of a single cause names it in full.
  const causes = all.filter(({ message }) => !error.message.includes(message));
  return (
    <div ref={alert}>
      <Alert
        variant="danger"
        isInline
        isLiveRegion
        component="h2"
        title={title ?? t(isUnanswered ? 'action.unanswered' : 'action.failed')}
      >
        <p>{error.message}</p>
        {causes.length > 0 && (
          <List>
            {causes.map(({ field, message }) => (
              <ListItem key={`${field ?? ''}${message}`}>
                {field === undefined || message.startsWith(field) ? message : `${field}: ${message}`}
              </ListItem>
            ))}
          </List>
        )}
        {traceId !== undefined && <small>{t('action.trace', { traceId })}</small>}
      </Alert>
    </div>
  );
}
