import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  Stack,
  StackItem,
  ToggleGroup,
  ToggleGroupItem,
} from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../../api/http.js';
import { collectionPath } from '../../../api/paths.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { InSight } from '../../../components/InSight.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { useLastKnown } from '../../../components/use-last-known.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { RestoreDialog } from './RestoreDialog.js';
import { RestoredAlert } from './RestoredAlert.js';
import { StateComparison } from './StateComparison.js';
import { ENGINE, TERRAFORM, type AnyVersion } from './state-family.js';
import { VersionTable } from './VersionTable.js';

/** The history of the Terraform state and of the engine's: what changed from version to version, and the way back. */
export function StateTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { status } = useCluster();
  const [{ version, from, of }, setView] = useViewState();
  const family = of === ENGINE.name ? ENGINE : TERRAFORM;
  const [asked, setAsked] = useState<AnyVersion>();
  const [restored, setRestored] = useState<string>();
  const selector = new URLSearchParams({ fieldSelector: `${family.ownerField}=${name}` });
  const {
    data: read,
    error,
    refetch,
  } = useQuery({
    // Versions cannot be watched; a new one comes with work.
    queryKey: ['state-versions', family.name, project, name, status?.progress?.message],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly AnyVersion[] }>(
        `${collectionPath(family.kind, project)}?${selector.toString()}`,
        { signal },
      ),
    placeholderData: (before, query) => (query?.queryKey[1] === family.name ? before : undefined),
  });
  const data = useLastKnown(read, `${project}/${name} ${family.name}`);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const versions = data?.items.toSorted((left, right) => right.spec.serial - left.spec.serial) ?? [];
  const shown = versions.find(({ spec }) => String(spec.serial) === version);
  return (
    <Stack hasGutter>
      {restored !== undefined && (
        <StackItem>
          <InSight of={restored}>
            <RestoredAlert family={family} serial={restored} onClose={() => setRestored(undefined)} />
          </InSight>
        </StackItem>
      )}
      {shown && (
        <StackItem>
          <InSight of={shown.metadata.name}>
            <StateComparison
              family={family}
              version={shown}
              versions={versions}
              from={from}
              onFrom={(serial) => setView({ from: serial })}
              onClose={() => setView({ version: undefined, from: undefined })}
            />
          </InSight>
        </StackItem>
      )}
      <StackItem>
        <Card>
          <CardHeader
            hasWrap
            actions={{
              actions: (
                <ToggleGroup aria-label={t('states.which')}>
                  {[TERRAFORM, ENGINE].map((each) => (
                    <ToggleGroupItem
                      key={each.name}
                      text={t(`states.of.${each.name}`)}
                      isSelected={family === each}
                      onChange={() =>
                        setView({
                          of: each === TERRAFORM ? undefined : each.name,
                          version: undefined,
                          from: undefined,
                        })
                      }
                    />
                  ))}
                </ToggleGroup>
              ),
            }}
          >
            <CardTitle component="h2">{t(`states.title.${family.name}`)}</CardTitle>
          </CardHeader>
          <CardBody>
            {data ? (
              <VersionTable
                family={family}
                versions={versions}
                onShow={({ spec }) => setView({ version: String(spec.serial), from: undefined })}
                onRestore={setAsked}
              />
            ) : (
              <LoadingState />
            )}
          </CardBody>
        </Card>
      </StackItem>
      {asked && (
        <RestoreDialog
          family={family}
          version={asked}
          onRestored={() => setRestored(String(asked.spec.serial))}
          onClose={() => {
            setAsked(undefined);
            void refetch();
          }}
        />
      )}
    </Stack>
  );
}
