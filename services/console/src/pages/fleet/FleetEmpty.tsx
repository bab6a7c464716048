import {
  Button,
  ClipboardCopy,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
} from '@patternfly/react-core';
import { CubesIcon, SearchIcon } from '@patternfly/react-icons';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useInCluster } from '../../api/use-in-cluster.js';

const APPLY = 'kubectl apply -f cluster.yaml';

/** An empty fleet: how it gets its first cluster. */
export function NoClusters(): ReactElement {
  const { t } = useTranslation('fleet');
  const { t: tCommon } = useTranslation();
  const inCluster = useInCluster();
  return (
    <EmptyState headingLevel="h2" titleText={t('empty.title')} icon={CubesIcon}>
      <EmptyStateBody>{t(inCluster ? 'empty.inCluster' : 'empty.help')}</EmptyStateBody>
      <EmptyStateFooter>
        {!inCluster && (
          <EmptyStateActions>
            <Button component={(props: object) => <Link to="/create" {...props} />} variant="primary">
              {t('create')}
            </Button>
          </EmptyStateActions>
        )}
        <EmptyStateActions>
          <ClipboardCopy
            variant="inline-compact"
            isCode
            hoverTip={tCommon('copy.copy')}
            clickTip={tCommon('copy.copied')}
            textAriaLabel={t('empty.command')}
          >
            {APPLY}
          </ClipboardCopy>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}

/** Filters that leave nothing. */
export function NothingMatches({ onClear }: { readonly onClear: () => void }): ReactElement {
  const { t } = useTranslation('fleet');
  return (
    <EmptyState headingLevel="h2" titleText={t('nothing.title')} icon={SearchIcon}>
      <EmptyStateBody>{t('nothing.help')}</EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <Button variant="link" onClick={onClear}>
            {t('clear')}
          </Button>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
