import type { Project } from '@crate/api';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { QUOTAS, quotaOf } from './quota.js';

/** Projects by name, with what they take up. */
export function ProjectTable({ projects }: { readonly projects: readonly Project[] }): ReactElement {
  const { t } = useTranslation('projects');
  const sorted = [...projects].sort((left, right) => left.metadata.name.localeCompare(right.metadata.name));
  return (
    <Table aria-label={t('title')} gridBreakPoint="grid-lg" variant="compact">
      <Thead>
        <Tr>
          <Th>{t('col.name')}</Th>
          <Th>{t('col.team')}</Th>
          <Th>{t('col.members')}</Th>
          {QUOTAS.map((what) => (
            <Th key={what}>{t(`col.${what}`)}</Th>
          ))}
          <Th>{t('col.age')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {sorted.map((project) => {
          const { metadata, spec } = project;
          return (
            <Tr key={metadata.name}>
              <Td dataLabel={t('col.name')}>
                <Link to="/projects/$name/overview" params={{ name: metadata.name }}>
                  {metadata.name}
                </Link>
              </Td>
              <Td dataLabel={t('col.team')}>{spec.displayName ?? '–'}</Td>
              <Td dataLabel={t('col.members')}>{spec.members.length}</Td>
              {QUOTAS.map((what) => {
                const { used, limit } = quotaOf(project, what);
                return (
                  <Td key={what} dataLabel={t(`col.${what}`)}>
                    {limit === undefined ? used : t('of', { used, limit })}
                  </Td>
                );
              })}
              <Td dataLabel={t('col.age')}>
                {metadata.creationTimestamp === undefined ? '–' : <Age since={metadata.creationTimestamp} />}
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
  );
}
