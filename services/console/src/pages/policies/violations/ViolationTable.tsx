import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { OutcomeLabel } from '../labels.js';
import type { Violation } from './violations.js';

interface ViolationTableProps {
  readonly violations: readonly Violation[];
  readonly by: 'rule' | 'cluster';
  readonly project: string;
  readonly label: string;
}

/** The violations of a group, one by one. */
export function ViolationTable({ violations, by, project, label }: ViolationTableProps): ReactElement {
  const { t } = useTranslation('policies');
  const other = by === 'rule' ? 'cluster' : 'rule';
  return (
    <Table aria-label={label} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t(`violations.${other}`)}</Th>
          <Th>{t('violations.field')}</Th>
          <Th width={40}>{t('violations.message')}</Th>
          <Th>{t('violations.result')}</Th>
          <Th>{t('violations.since')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {violations.map(({ cluster, policy, title, field, message, outcome, waiver, since }, index) => (
          // One rule may object to the same field more than once.
          <Tr key={`${cluster}/${policy}/${field}/${index}`}>
            <Td dataLabel={t(`violations.${other}`)}>
              {by === 'rule' ? (
                <Link to="/clusters/$project/$name/overview" params={{ project, name: cluster }}>
                  {cluster}
                </Link>
              ) : (
                <Link to="/policies/rules/$rule" params={{ rule: policy }} search={{ project }}>
                  {title}
                </Link>
              )}
            </Td>
            <Td dataLabel={t('violations.field')} modifier="breakWord">
              {field === undefined ? '–' : field === '' ? t('violations.whole') : <code>{field}</code>}
            </Td>
            <Td dataLabel={t('violations.message')} modifier="breakWord">
              {message}
              {waiver !== undefined && <> ({t('violations.waivedBy', { name: waiver })})</>}
            </Td>
            <Td dataLabel={t('violations.result')}>
              <OutcomeLabel outcome={outcome} />
            </Td>
            <Td dataLabel={t('violations.since')}>{since === undefined ? '–' : <Age since={since} />}</Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
