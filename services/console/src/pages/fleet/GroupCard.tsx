import type { FleetGroup } from '@crate/api';
import { Card, CardBody, CardTitle } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@patternfly/react-core';
import { GroupRow } from './GroupRow.js';

interface GroupCardProps {
  readonly title: string;
  /** The largest first. */
  readonly groups: readonly FleetGroup[];
  readonly chosen: readonly string[];
  readonly onToggle: (word: string) => void;
}

const MOST_GROUPS = 4;

/** Groups of one kind, the largest of them until somebody wants all. */
export function GroupCard({ title, groups, chosen, onToggle }: GroupCardProps): ReactElement {
  const { t } = useTranslation('fleet');
  const [isWhole, setWhole] = useState(false);
  const named = groups.filter(({ key }) => key !== '');
  const rest = named.length - MOST_GROUPS;
  return (
    <Card isCompact isFullHeight>
      <CardTitle component="h2">{title}</CardTitle>
      <CardBody>
        {(isWhole ? named : named.slice(0, MOST_GROUPS)).map((group) => (
          <GroupRow key={group.key} group={group} isChosen={chosen.includes(group.key)} onToggle={onToggle} />
        ))}
        {rest > 0 && (
          <Button variant="link" isInline aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            <small>{isWhole ? t('fewerGroups') : t('moreGroups', { count: rest })}</small>
          </Button>
        )}
      </CardBody>
    </Card>
  );
}
