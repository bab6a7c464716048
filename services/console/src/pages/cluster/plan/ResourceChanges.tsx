import type { PlannedResource } from '@crate/api';
import { ExpandableSection, Label, List, ListItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import './plan.css';
import { Name } from '../../../components/Name.js';
import { valueText } from './value-text.js';

const COLOURS = {
  create: 'green',
  import: 'teal',
  update: 'blue',
  replace: 'orange',
  destroy: 'red',
  forget: 'grey',
  added: 'green',
  changed: 'blue',
  removed: 'red',
} as const;

/** What happens to a resource. */
export type ResourceAction = keyof typeof COLOURS;

interface Changed extends Omit<PlannedResource, 'action'> {
  readonly action: ResourceAction;
}

const ORDER = Object.keys({ ...COLOURS }).toReversed();

/** What is done to each resource, the gravest first, with its attributes before and after. */
export function ResourceChanges({ resources }: { readonly resources: readonly Changed[] }): ReactElement {
  const { t } = useTranslation('cluster');
  if (resources.length === 0) return <p>{t('resources.none')}</p>;
  const sorted = resources.toSorted((left, right) => ORDER.indexOf(left.action) - ORDER.indexOf(right.action));
  return (
    <List isPlain aria-label={t('resources.title')}>
      {sorted.map((resource) => (
        <ListItem key={`${resource.action} ${resource.address}`}>
          <Resource resource={resource} />
        </ListItem>
      ))}
    </List>
  );
}

/** Its attributes are drawn once somebody looks at them: all of a new cluster are thousands. */
function Resource({ resource }: { readonly resource: Changed }): ReactElement {
  const { t } = useTranslation('cluster');
  const [isOpen, setIsOpen] = useState(false);
  const { address, action, changes } = resource;
  const title = (
    <>
      <Label isCompact color={COLOURS[action]}>
        {t(`resources.action.${action}`)}
      </Label>{' '}
      <span className="crate-address">{address}</span>
    </>
  );
  if (changes.length === 0) return <>{title}</>;
  return (
    <ExpandableSection
      toggleContent={title}
      isIndented
      isExpanded={isOpen}
      onToggle={(_event, isExpanded) => setIsOpen(isExpanded)}
    >
      {isOpen && <Attributes of={resource} />}
    </ExpandableSection>
  );
}

function Attributes({ of: { address, changes } }: { readonly of: Changed }): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Table variant="compact" aria-label={t('resources.attributesOf', { address })} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th width={30}>{t('resources.attribute')}</Th>
          <Th>{t('resources.before')}</Th>
          <Th>{t('resources.after')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {changes.map(({ path, before, after, isUnknown, isSensitive, forcesReplacement }) => (
          <Tr key={path}>
            <Td dataLabel={t('resources.attribute')} modifier="breakWord">
              <div>
                <Name>{path}</Name>
                {forcesReplacement && <small> {t('resources.forces')}</small>}
              </div>
            </Td>
            <Td dataLabel={t('resources.before')} modifier="breakWord">
              {isSensitive ? t('resources.masked') : valueText(before)}
            </Td>
            <Td dataLabel={t('resources.after')} modifier="breakWord">
              {isUnknown ? t('resources.later') : isSensitive ? t('resources.masked') : valueText(after)}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
