import { Stack, StackItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useInCluster } from '../../api/use-in-cluster.js';
import { AllowedCard } from './AllowedCard.js';
import { DefaultsCard } from './DefaultsCard.js';
import { QuotaCard } from './QuotaCard.js';

/** What the Project takes up; and what clusters that are made in it may use, and have filled in. */
export function OverviewTab(): ReactElement {
  const inCluster = useInCluster();
  return (
    <Stack hasGutter>
      <StackItem>
        <QuotaCard />
      </StackItem>
      {!inCluster && (
        <>
          <StackItem>
            <AllowedCard />
          </StackItem>
          <StackItem>
            <DefaultsCard />
          </StackItem>
        </>
      )}
    </Stack>
  );
}
