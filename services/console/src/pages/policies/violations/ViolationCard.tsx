import {
  Card,
  CardBody,
  CardTitle,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  ExpandableSection,
  Flex,
} from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { OutcomeLabel, SeverityLabel } from '../labels.js';
import { ViolationTable } from './ViolationTable.js';
import type { ViolationGroup } from './violations.js';

interface ViolationCardProps {
  readonly group: ViolationGroup;
  readonly by: 'rule' | 'cluster';
  readonly project: string;
}

/** What one rule objects to, or what is objected to in one cluster; of a rule with what to do about it. */
export function ViolationCard({ group, by, project }: ViolationCardProps): ReactElement {
  const { t } = useTranslation('policies');
  const { key, title, worst, violations } = group;
  const [isOpen, setOpen] = useState(false);
  const count = t('violations.count', { count: violations.length });
  return (
    <Card isCompact>
      <CardTitle component="h2">
        <Flex columnGap={{ default: 'columnGapSm' }}>
          {by === 'rule' ? (
            <Link to="/policies/rules/$rule" params={{ rule: key }} search={{ project }}>
              {title}
            </Link>
          ) : (
            <Link to="/clusters/$project/$name/overview" params={{ project, name: key }}>
              {title}
            </Link>
          )}
          <OutcomeLabel outcome={worst.outcome} />
          <SeverityLabel severity={worst.severity} />
        </Flex>
      </CardTitle>
      <CardBody>
        {by === 'rule' && <Advice group={group} project={project} />}
        <ExpandableSection
          toggleText={count}
          toggleAriaLabel={`${title}: ${count}`}
          isExpanded={isOpen}
          onToggle={(_, next) => setOpen(next)}
        >
          {isOpen && <ViolationTable violations={violations} by={by} project={project} label={title} />}
        </ExpandableSection>
      </CardBody>
    </Card>
  );
}

function Advice({ group, project }: Pick<ViolationCardProps, 'group' | 'project'>): ReactElement {
  const { t } = useTranslation('policies');
  const { key, title, worst } = group;
  const { remedy, references } = worst;
  return (
    <DescriptionList isCompact>
      <DescriptionListGroup>
        <DescriptionListTerm>{t('violations.remedy')}</DescriptionListTerm>
        <DescriptionListDescription>
          {remedy} ·{' '}
          <Link to="/policies/waivers" search={{ project, ask: key }} aria-label={t('waivers.askFor', { title })}>
            {t('waivers.ask')}
          </Link>
        </DescriptionListDescription>
      </DescriptionListGroup>
      {references.length > 0 && (
        <DescriptionListGroup>
          <DescriptionListTerm>{t('violations.references')}</DescriptionListTerm>
          <DescriptionListDescription>{references.join('; ')}</DescriptionListDescription>
        </DescriptionListGroup>
      )}
    </DescriptionList>
  );
}
