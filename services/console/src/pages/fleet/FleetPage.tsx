import './fleet.css';
import { Alert, Button, PageSection } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useInCluster } from '../../api/use-in-cluster.js';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { PageHeading } from '../../components/PageHeading.js';
import strings from '../../i18n/en/fleet.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { NoClusters, NothingMatches } from './FleetEmpty.js';
import { FleetOverview } from './FleetOverview.js';
import { FleetTable } from './FleetTable.js';
import { FleetToolbar } from './FleetToolbar.js';
import type { FleetSnapshot } from './fleet-feed.js';
import { isFiltered, withoutFilters } from './fleet-search.js';
import { useFleet, useFleetSearch, useWholeFleet } from './use-fleet.js';

addStrings('fleet', strings);

/** Every cluster that one may see, what needs somebody first. */
export function FleetPage(): ReactElement {
  const { t } = useTranslation('fleet');
  const inCluster = useInCluster();
  const create = useMemo(
    () =>
      inCluster ? undefined : (
        <Button component={(props: object) => <Link to="/create" {...props} />} variant="primary">
          {t('create')}
        </Button>
      ),
    [t, inCluster],
  );
  return (
    <>
      <PageHeading title={t('title')} actions={create} />
      <PageSection>
        <Fleet />
      </PageSection>
    </>
  );
}

function Fleet(): ReactElement {
  const { t } = useTranslation();
  const [search, setSearch] = useFleetSearch();
  const { fleet, feed } = useFleet(search);
  const whole = useWholeFleet();
  const { page } = fleet;
  if (fleet.liveness === 'failed' && fleet.error) {
    return <ErrorState error={fleet.error} onRetry={() => feed.restart()} />;
  }
  if (!page) return <Waiting fleet={fleet} onRetry={() => feed.restart()} />;
  if (page.total === 0 && !isFiltered(search)) return <NoClusters />;
  return (
    <>
      {fleet.liveness === 'reconnecting' && (
        <Alert variant="warning" isInline isPlain isLiveRegion title={t('connection.reconnecting')} />
      )}
      <FleetOverview rollup={page.rollup} search={search} onSearch={setSearch} />
      <FleetToolbar search={search} onSearch={setSearch} whole={whole} fleet={fleet} />
      {page.matching === 0 && !fleet.isStale ? (
        <NothingMatches onClear={() => setSearch(withoutFilters(search))} />
      ) : (
        <FleetTable fleet={fleet} feed={feed} search={search} onSearch={setSearch} />
      )}
    </>
  );
}

function Waiting({ fleet, onRetry }: { readonly fleet: FleetSnapshot; readonly onRetry: () => void }): ReactElement {
  return fleet.error ? <ErrorState error={fleet.error} onRetry={onRetry} /> : <LoadingState />;
}
