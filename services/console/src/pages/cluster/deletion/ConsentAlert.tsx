import type { Cluster } from '@crate/api';
import { Alert, PageSection } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { annotate } from '../cluster-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { APPROVE, CONFIRM } from './consent.js';
import { ConsentText } from './ConsentText.js';
import { useConsents } from './use-consents.js';

/** That a protected cluster can be deleted now, by whose word and until when; nothing while it cannot, or once it is. */
export function ConsentAlert({ cluster }: { readonly cluster: Cluster }): ReactElement | null {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const consents = useConsents(cluster);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => annotate(key, { [CONFIRM]: null, [APPROVE]: null }),
  });
  const { confirmed, approved } = consents;
  if ((!confirmed && !approved) || cluster.metadata.deletionTimestamp !== undefined) return null;
  return (
    <PageSection aria-label={t('consent.title')}>
      <Alert
        variant="warning"
        isInline
        isLiveRegion
        component="h2"
        title={t('consent.title')}
        actionLinks={
          <GuardedButton
            variant="link"
            isInline
            needs={{ verb: 'patch', kind: KINDS.cluster }}
            isLoading={isPending}
            onClick={() => mutate()}
          >
            {t('consent.withdraw')}
          </GuardedButton>
        }
      >
        <ConsentText consents={consents} />
      </Alert>
      <DeedError error={error} />
    </PageSection>
  );
}
