import type { NotificationAttempt } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** When an attempt was, what the receiver said, and when it is tried again. */
export function AttemptText({ attempt }: { readonly attempt: NotificationAttempt }): ReactElement {
  const { t } = useTranslation('notifications');
  const { at, outcome, httpStatus, milliseconds, detail, nextAttemptAt } = attempt;
  const parts = [
    `${new Date(at).toLocaleString()}: ${t(`outcome.${outcome}`)}`,
    httpStatus === undefined ? undefined : t('attempt.status', { status: httpStatus }),
    milliseconds === undefined ? undefined : t('attempt.took', { ms: milliseconds }),
    detail,
    nextAttemptAt === undefined ? undefined : t('attempt.next', { when: new Date(nextAttemptAt).toLocaleString() }),
  ];
  return <>{parts.filter((part) => part !== undefined && part !== '').join(' · ')}</>;
}
