import { Stack, StackItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { AllowedCard } from './AllowedCard.js';
import { DefaultsCard } from './DefaultsCard.js';
import { QuotaCard } from './QuotaCard.js';

/** What the Project takes up, may use, and has filled in. */
export function OverviewTab(): ReactElement {
  return (
    <Stack hasGutter>
      <StackItem>
        <QuotaCard />
      </StackItem>
      <StackItem>
        <AllowedCard />
      </StackItem>
      <StackItem>
        <DefaultsCard />
      </StackItem>
    </Stack>
  );
}
