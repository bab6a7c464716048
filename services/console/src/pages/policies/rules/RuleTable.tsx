import type { Policy } from '@crate/api';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SeverityLabel } from '../labels.js';
import { enforcementIn, packOf } from './rule-view.js';

interface RuleTableProps {
  readonly rules: readonly Policy[];
  readonly project: string;
}

/** Rules, and how each acts in a Project. */
export function RuleTable({ rules, project }: RuleTableProps): ReactElement {
  const { t } = useTranslation('policies');
  return (
    <Table aria-label={t('rules.title')} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th width={40}>{t('rules.name')}</Th>
          <Th>{t('rules.pack')}</Th>
          <Th>{t('rules.level')}</Th>
          <Th>{t('rules.severity')}</Th>
          <Th>{t('rules.stage')}</Th>
          <Th modifier="breakWord">{t('rules.enforcement', { project })}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {rules.map((rule) => {
          const { metadata, spec } = rule;
          const enforcement = enforcementIn(rule, project);
          return (
            <Tr key={metadata.name}>
              <Td dataLabel={t('rules.name')} modifier="breakWord">
                <Link to="/policies/rules/$rule" params={{ rule: metadata.name }} search={{ project }}>
                  {spec.title}
                </Link>
                <br />
                <small>{metadata.name}</small>
              </Td>
              <Td dataLabel={t('rules.pack')}>{packOf(rule) === '' ? t('rules.own') : packOf(rule)}</Td>
              <Td dataLabel={t('rules.level')}>{t(`level.${spec.level}`)}</Td>
              <Td dataLabel={t('rules.severity')}>
                <SeverityLabel severity={spec.severity} />
              </Td>
              <Td dataLabel={t('rules.stage')}>{spec.match.stages.join(', ')}</Td>
              <Td dataLabel={t('rules.enforcement', { project })}>
                {enforcement === undefined ? t('rules.notThere') : t(`enforcement.${enforcement}`)}
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
  );
}
