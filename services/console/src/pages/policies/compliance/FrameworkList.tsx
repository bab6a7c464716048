import { Button, Progress, ProgressSize } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { allOf, percentMet, type Framework } from './compliance.js';

/** Frameworks with how many of their controls are met; choosing one shows its controls. */
export function FrameworkList({ frameworks }: { readonly frameworks: readonly Framework[] }): ReactElement {
  const { t } = useTranslation('policies');
  const [{ framework: chosen }, setView] = useViewState();
  return (
    <Table aria-label={t('compliance.frameworks')} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th width={30}>{t('compliance.framework')}</Th>
          <Th>{t('compliance.state')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {frameworks.map(({ framework, controls }) => (
          <Tr key={framework} isRowSelected={framework === chosen}>
            <Td dataLabel={t('compliance.framework')}>
              <Button
                variant="link"
                isInline
                aria-expanded={framework === chosen}
                aria-label={t('compliance.show', { framework })}
                onClick={() => setView({ framework: framework === chosen ? undefined : framework })}
              >
                {framework}
              </Button>
            </Td>
            <Td dataLabel={t('compliance.state')}>
              <Progress
                aria-label={framework}
                size={ProgressSize.sm}
                value={percentMet(controls)}
                label={t('compliance.score', { pass: controls.pass, all: allOf(controls) })}
              />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
