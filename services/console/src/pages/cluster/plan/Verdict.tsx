import type { Consequences } from '@crate/api';
import { Label, List, ListItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface VerdictProps {
  /** What was judged. */
  readonly of: string;
  readonly verdict: Consequences['policy']['plan'] | undefined;
}

/** What policies say of something; whether it may be, and what they advise. */
export function Verdict({ of, verdict }: VerdictProps): ReactElement {
  const { t } = useTranslation('cluster');
  if (!verdict) return <p>{t('verdict.none', { of })}</p>;
  return (
    <div>
      <p>
        <Label isCompact status={verdict.allowed ? 'success' : 'danger'}>
          {t(verdict.allowed ? 'verdict.allowed' : 'verdict.denied')}
        </Label>{' '}
        {of}
      </p>
      <List>
        {verdict.violations.map(({ policy, level, field, message, remedy }) => (
          <ListItem key={`${policy}${field ?? ''}${message}`}>
            {t('verdict.violation', { policy, level, message })}
            {field !== undefined && ` (${field})`}
            {remedy !== undefined && `. ${t('alert.remedy', { remedy })}`}
          </ListItem>
        ))}
      </List>
    </div>
  );
}
