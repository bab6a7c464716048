import type { FleetHealth, FleetRollup } from '@crate/api';
import { ExpandableSection, Gallery, Icon, ToggleGroup, ToggleGroupItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import {
  GROUPS,
  HEALTHS,
  withToggled,
  wordsOf,
  type FilterName,
  type FleetSearch,
  type GroupName,
} from './fleet-search.js';
import { GroupCard } from './GroupCard.js';
import { HEALTH_ICONS } from './HealthLabel.js';
import { useHealthCounts } from './use-fleet.js';

interface FleetOverviewProps {
  readonly rollup: FleetRollup;
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch) => void;
}

const OPEN = 'crate-fleet-groups';
const ROOM = '(min-width: 48rem)';

/** How everything that matches stands, by health and by group; pressing a number filters by it. */
export function FleetOverview({ rollup, search, onSearch }: FleetOverviewProps): ReactElement {
  const { t } = useTranslation('fleet');
  const health = useHealthCounts(search, rollup);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const toggle = (name: FilterName, word: string): void => onSearch(withToggled(search, name, word));
  const turn = (): void => {
    localStorage.setItem(OPEN, String(!isOpen));
    setOpen(!isOpen);
  };
  return (
    <div className="crate-fleet-overview">
      <ToggleGroup aria-label={t('byHealth')} className="crate-fleet-health">
        {HEALTHS.map((each) => (
          <HealthToggle
            key={each}
            health={each}
            count={health[each]}
            isChosen={wordsOf(search, 'health').includes(each)}
            onToggle={() => toggle('health', each)}
          />
        ))}
      </ToggleGroup>

      <ExpandableSection toggleText={t('groups')} isExpanded={isOpen} onToggle={turn}>
        <Gallery hasGutter minWidths={{ default: '12rem' }}>
          {(Object.keys(GROUPS) as GroupName[]).map((name) => (
            <GroupCard
              key={name}
              title={t(`by.${name}`)}
              groups={rollup[GROUPS[name]]}
              chosen={wordsOf(search, name)}
              onToggle={(word) => toggle(name, word)}
            />
          ))}
        </Gallery>
      </ExpandableSection>
    </div>
  );
}

interface HealthToggleProps {
  readonly health: FleetHealth;
  readonly count: number;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function HealthToggle({ health, count, isChosen, onToggle }: HealthToggleProps): ReactElement {
  const { t } = useTranslation('fleet');
  const { icon, ...look } = HEALTH_ICONS[health];
  return (
    <ToggleGroupItem
      icon={<Icon {...look}>{icon}</Icon>}
      text={t('healthCount', { health: t(`health.${health}`), count })}
      isSelected={isChosen}
      onChange={onToggle}
    />
  );
}

/** As the person left it; at first where there is room above the table. */
function isOpenAtFirst(): boolean {
  const left = localStorage.getItem(OPEN);
  return left === null ? matchMedia(ROOM).matches : left === 'true';
}
