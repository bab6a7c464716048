import type { DriftReport } from '@crate/api';
import {
  Alert,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
} from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';

interface DriftFactsProps {
  readonly report: DriftReport;
  readonly isChecking: boolean;
}

/** Whether cloud and state agree, as far as is known, and how often somebody looks. */
export function DriftFacts({ report, isChecking }: DriftFactsProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { policy, checkedAt, nextCheckAt, failure, failures, held } = report;
  return (
    <>
      <Standing report={report} isChecking={isChecking} />
      {failure && (
        <Alert variant="warning" isInline component="h3" title={t('drift.failed', { count: failures })}>
          <p>
            {failure.code}: {failure.message}
          </p>
        </Alert>
      )}
      {held && (
        <Alert variant="warning" isInline component="h3" title={t('drift.held')}>
          <p>{held.message}</p>
        </Alert>
      )}
      <DescriptionList isHorizontal isCompact>
        <Fact term={t('drift.compared')}>{checkedAt === undefined ? t('drift.never') : <Age since={checkedAt} />}</Fact>
        <Fact term={t('drift.next')}>{new Date(nextCheckAt).toLocaleString()}</Fact>
        <Fact term={t('summary.drift')}>{t(`drift.policy.${policy}`)}</Fact>
      </DescriptionList>
    </>
  );
}

function Standing({ report: { checkedAt, drift }, isChecking }: DriftFactsProps): ReactElement {
  const { t } = useTranslation('cluster');
  const count = (drift?.resources.length ?? 0) + (drift?.omitted ?? 0);
  if (isChecking || checkedAt === undefined) {
    const title = t(isChecking ? 'drift.checking' : 'drift.unknown');
    return <Alert variant="info" isInline isLiveRegion component="h3" title={title} />;
  }
  if (count === 0 || !drift) {
    return <Alert variant="success" isInline isLiveRegion component="h3" title={t('drift.none')} />;
  }
  return (
    <Alert variant="warning" isInline isLiveRegion component="h3" title={t('drift.count', { count })}>
      {t('drift.since')} <Age since={drift.since} />
    </Alert>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }): ReactElement {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}
