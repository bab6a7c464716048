import './fleet.css';
import { Alert, Button, PageSection } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import { useMemo, type ComponentProps, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiError } from '../../api/api-error.js';
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
  const refusal = refusalOf(fleet);
  if (!refusal && (!page || fleet.liveness === 'failed')) {
    return <Waiting fleet={fleet} onRetry={() => feed.restart()} />;
  }
  if (!refusal && page?.total === 0 && !isFiltered(search)) return <NoClusters />;
  return (
    <>
      {fleet.liveness === 'reconnecting' && (
        <Alert variant="warning" isInline isPlain isLiveRegion title={t('connection.reconnecting')} />
      )}
      {page && <FleetOverview rollup={page.rollup} search={search} onSearch={setSearch} />}
      <FleetToolbar search={search} onSearch={setSearch} whole={whole} fleet={fleet} />
      {refusal ? (
        <Refused error={refusal} onClear={() => setSearch({})} />
      ) : (
        <Found fleet={fleet} feed={feed} search={search} onSearch={setSearch} />
      )}
    </>
  );
}

/** What the URL asks for cannot be asked for, as by an old bookmark: it is changed where it stands. Pure. */
function refusalOf({ liveness, error }: FleetSnapshot): ApiError | undefined {
  return liveness === 'failed' && error?.status === 400 ? error : undefined;
}

function Found(props: ComponentProps<typeof FleetTable>): ReactElement {
  const { fleet, search, onSearch } = props;
  if (fleet.page?.matching !== 0 || fleet.isStale) return <FleetTable {...props} />;
  return <NothingMatches onClear={() => onSearch(withoutFilters(search))} />;
}

/** What is wrong with what was asked for: asking for the same again would be refused again. */
function Refused({ error, onClear }: { readonly error: Error; readonly onClear: () => void }): ReactElement {
  const { t } = useTranslation('fleet');
  return (
    <>
      <ErrorState error={error} />
      <Button variant="link" onClick={onClear}>
        {t('view.everything')}
      </Button>
    </>
  );
}

function Waiting({ fleet, onRetry }: { readonly fleet: FleetSnapshot; readonly onRetry: () => void }): ReactElement {
  return fleet.error ? <ErrorState error={fleet.error} onRetry={onRetry} /> : <LoadingState />;
}
