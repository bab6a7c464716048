import { Grid, GridItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useCluster } from '../cluster-context.js';
import { DeletionPanel } from '../deletion/DeletionPanel.js';
import { Access } from './Access.js';
import { Conditions } from './Conditions.js';
import { Events } from './Events.js';
import { Summary } from './Summary.js';
import { Timeline } from './Timeline.js';

/** How the cluster stands, and how it came to that. */
export function OverviewTab(): ReactElement {
  const cluster = useCluster();
  return (
    <Grid hasGutter>
      {cluster.metadata.deletionTimestamp !== undefined && (
        <GridItem>
          <DeletionPanel cluster={cluster} />
        </GridItem>
      )}
      <GridItem lg={6}>
        <Timeline />
      </GridItem>
      <GridItem lg={6}>
        <Summary />
      </GridItem>
      <GridItem>
        <Access />
      </GridItem>
      <GridItem>
        <Conditions />
      </GridItem>
      <GridItem>
        <Events />
      </GridItem>
    </Grid>
  );
}
