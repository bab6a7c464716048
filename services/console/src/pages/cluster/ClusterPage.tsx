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
  // What is typed there stays, and the tab itself says that it was made from another cluster.
  const isYaml = useRouterState({ select: ({ matches }) => isYamlTab(matches) });
  if (live.object === undefined) return <NoCluster live={live} />;
  return (
    <ClusterProvider value={live.object}>
      {/* What is open or typed for one cluster is not to go on for another. */}
      <Fragment key={`${project}/${name}`}>
        {/* Nor what is open, such as a dialog, for another one of its name. */}
        <ClusterHeader key={live.object.metadata.uid} cluster={live.object} />
        <ClusterTabs />
        <PageSection isFilled aria-label={name}>
          <LiveContent of={live}>
            <Outlet key={isYaml ? 'yaml' : live.object.metadata.uid} />
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
