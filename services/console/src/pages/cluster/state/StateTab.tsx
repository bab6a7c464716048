import { Card, CardBody, CardHeader, CardTitle, Stack, StackItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { FamilyToggle } from './FamilyToggle.js';
import { RestoreDialog } from './RestoreDialog.js';
import { RestoredAlert } from './RestoredAlert.js';
import { StateComparison } from './StateComparison.js';
import type { AnyVersion, StateFamily } from './state-family.js';
import { useStateVersions, type StateVersions } from './use-state-versions.js';
import { useStateView, type StateView } from './use-state-view.js';
import { VersionTable } from './VersionTable.js';

/** A version with the state that it is of: while it is asked about, the page may go to the other one. */
interface OneVersion {
  readonly family: StateFamily;
  readonly version: AnyVersion;
}

/** The history of the Terraform state and of the engine's: what changed from version to version, and the way back. */
export function StateTab(): ReactElement {
  const view = useStateView();
  const { family } = view;
  const { versions, error, refetch } = useStateVersions(family);
  const [asked, setAsked] = useState<OneVersion>();
  const [restored, setRestored] = useState<OneVersion>();
  if (error && !versions) return <ErrorState error={error} onRetry={refetch} />;
  const shown = versions?.find(({ spec }) => String(spec.serial) === view.version);
  return (
    <Stack hasGutter>
      <NotReadAnew error={error} />
      {restored && (
        <StackItem>
          <RestoredAlert
            family={restored.family}
            serial={String(restored.version.spec.serial)}
            onClose={() => setRestored(undefined)}
          />
        </StackItem>
      )}
      {versions && shown && (
        <StackItem>
          <StateComparison
            family={family}
            version={shown}
            versions={versions}
            from={view.from}
            onFrom={view.compareWith}
            onClose={view.showNoVersion}
          />
        </StackItem>
      )}
      <StackItem>
        <VersionsCard view={view} versions={versions} onRestore={(version) => setAsked({ family, version })} />
      </StackItem>
      {asked && (
        <RestoreDialog
          {...asked}
          onRestored={() => setRestored(asked)}
          onClose={() => {
            setAsked(undefined);
            refetch();
          }}
        />
      )}
    </Stack>
  );
}

interface VersionsCardProps extends Pick<StateVersions, 'versions'> {
  readonly view: StateView;
  readonly onRestore: (version: AnyVersion) => void;
}

/** All versions of a state, with the choice of the other one. */
function VersionsCard({
  view: { family, showFamily, showVersion },
  versions,
  onRestore,
}: VersionsCardProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Card>
      <CardHeader hasWrap actions={{ actions: <FamilyToggle family={family} onChoose={showFamily} /> }}>
        <CardTitle component="h2">{t(`states.title.${family.name}`)}</CardTitle>
      </CardHeader>
      <CardBody>
        {versions ? (
          <VersionTable
            family={family}
            versions={versions}
            onShow={({ spec }) => showVersion(spec.serial)}
            onRestore={onRestore}
          />
        ) : (
          <LoadingState />
        )}
      </CardBody>
    </Card>
  );
}
