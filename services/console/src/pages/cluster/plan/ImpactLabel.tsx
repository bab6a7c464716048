import type { Consequences } from '@crate/api';
import { Label } from '@patternfly/react-core';
import type { ReactElement } from 'react';

const COLOURS = { none: 'green', restart: 'yellow', roll: 'orange', replace: 'red' } as const;

interface ImpactLabelProps {
  readonly impact: Consequences['impact'];
  readonly isCompact?: boolean;
}

/** How much a change disturbs. */
export function ImpactLabel({ impact, isCompact = false }: ImpactLabelProps): ReactElement {
  return (
    <Label isCompact={isCompact} color={COLOURS[impact]}>
      {impact}
    </Label>
  );
}
