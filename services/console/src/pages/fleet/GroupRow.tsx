import type { FleetGroup, FleetHealth } from '@crate/api';
import { Button, Flex, FlexItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { HEALTHS } from './fleet-search.js';

interface GroupRowProps {
  readonly group: FleetGroup;
  readonly isChosen: boolean;
  readonly onToggle: (word: string) => void;
}

/** What a person should look at. */
const PRESSING: readonly FleetHealth[] = ['Failing', 'Blocked', 'Degraded'];

/** Clusters of one group: how many, how many need somebody, and how they stand as a bar. */
export function GroupRow({ group, isChosen, onToggle }: GroupRowProps): ReactElement {
  const { t } = useTranslation('fleet');
  const { key, total, health } = group;
  const pressing = PRESSING.reduce((sum, each) => sum + (health[each] ?? 0), 0);
  return (
    <div>
      <Flex justifyContent={{ default: 'justifyContentSpaceBetween' }} flexWrap={{ default: 'nowrap' }}>
        <FlexItem>
          <Button variant="link" isInline aria-pressed={isChosen} onClick={() => onToggle(key)}>
            {key}
          </Button>
        </FlexItem>
        <FlexItem>
          <small>
            {pressing > 0 ? t('groupPressing', { count: total, pressing }) : t('groupFine', { count: total })}
          </small>
        </FlexItem>
      </Flex>
      <div className="crate-bar" aria-hidden="true">
        {HEALTHS.map((each) => {
          const part = health[each] ?? 0;
          return part > 0 && <span key={each} className={each} style={{ flexGrow: part }} />;
        })}
      </div>
    </div>
  );
}
