import type { Cluster } from '@crate/api';
import { PageSection } from '@patternfly/react-core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Fragment, type ReactElement } from 'react';
import { KINDS } from '../../api/paths.js';
import { useLiveObject } from '../../api/use-live.js';
import { LiveContent } from '../../components/LiveContent.js';
import { addStrings } from '../../i18n/index.js';
import cluster from '../../i18n/en/cluster.json' with { type: 'json' };
import { PageHeading } from '../../components/PageHeading.js';
import { useLastKnown } from '../../components/use-last-known.js';
import { ClusterGone } from './ClusterGone.js';
import { ClusterHeader } from './ClusterHeader.js';
import { ClusterProvider } from './cluster-context.js';
import { ClusterTabs } from './ClusterTabs.js';
import { useClusterKey } from './use-cluster-key.js';

addStrings('cluster', cluster);

/** One cluster: how it stands, and a tab for each thing that can be looked at or done. */
export function ClusterPage(): ReactElement {
  const { project, name } = useClusterKey();
  const live = useLiveObject<Cluster>(KINDS.cluster, name, project);
  // What is typed there stays, also while the cluster is gone; the tab itself says that it was made from another one.
  const isYaml = useRouterState({ select: ({ matches }) => isYamlTab(matches) });
  const known = useLastKnown(live.object, `${project}/${name}`);
  const shown = isYaml ? known : live.object;
  if (shown === undefined) return <NoCluster live={live} />;
  return (
    <ClusterProvider value={shown}>
      {/* What is open or typed for one cluster is not to go on for another. */}
      <Fragment key={`${project}/${name}`}>
        {/* Nor what is open, such as a dialog, for another one of its name. */}
        {live.object ? <ClusterHeader key={shown.metadata.uid} cluster={shown} /> : <PageHeading title={name} />}
        <ClusterTabs />
        <PageSection isFilled aria-label={name}>
          <LiveContent of={live}>
            {!live.object && <ClusterGone />}
            <Outlet key={isYaml ? 'yaml' : shown.metadata.uid} />
          </LiveContent>
        </PageSection>
      </Fragment>
    </ClusterProvider>
  );
}

function isYamlTab(matches: readonly { readonly routeId: string }[]): boolean {
  return matches.at(-1)?.routeId.endsWith('/yaml') ?? false;
}

function NoCluster({ live }: { readonly live: ReturnType<typeof useLiveObject<Cluster>> }): ReactElement {
  const { name } = useClusterKey();
  return (
    <>
      <PageHeading title={name} />
      <PageSection isFilled>
        <LiveContent of={live}>
          <ClusterGone />
        </LiveContent>
      </PageSection>
    </>
  );
}
