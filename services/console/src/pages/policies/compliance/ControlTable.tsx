import { Card, CardBody, CardTitle, List, ListItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../../components/subpages/Choice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { OutcomeLabel } from '../labels.js';
import type { Framework } from './compliance.js';

interface ControlTableProps {
  readonly framework: Framework;
  readonly project: string;
}

/** The controls of a framework, each with its rules; first those that are not met. */
export function ControlTable({ framework: { framework, details }, project }: ControlTableProps): ReactElement {
  const { t } = useTranslation('policies');
  const [{ controls = 'open' }, setView] = useViewState();
  const shown = controls === 'all' ? details : details.filter(({ status }) => status !== 'pass');
  const title = t('compliance.controls', { framework });
  return (
    <Card>
      <CardTitle component="h2">{title}</CardTitle>
      <CardBody>
        <Choice
          label={t('compliance.only')}
          value={controls}
          options={(['open', 'all'] as const).map((value) => ({ value, text: t(`compliance.${value}`) }))}
          onChange={(value) => setView({ controls: value })}
        />
        {shown.length === 0 ? (
          <p role="status">{t('compliance.allMet')}</p>
        ) : (
          <Controls title={title} controls={shown} project={project} />
        )}
      </CardBody>
    </Card>
  );
}

interface ControlsProps {
  readonly title: string;
  readonly controls: Framework['details'];
  readonly project: string;
}

function Controls({ title, controls, project }: ControlsProps): ReactElement {
  const { t } = useTranslation('policies');
  return (
    <Table aria-label={title} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>{t('compliance.control')}</Th>
          <Th>{t('compliance.state')}</Th>
          <Th width={60}>{t('compliance.byRules')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {controls.map(({ control, status, rules }) => (
          <Tr key={control}>
            <Td dataLabel={t('compliance.control')}>{control}</Td>
            <Td dataLabel={t('compliance.state')}>
              <OutcomeLabel outcome={status} />
            </Td>
            <Td dataLabel={t('compliance.byRules')} modifier="breakWord">
              <List isPlain>
                {rules.map(({ policy, title: ruleTitle }) => (
                  <ListItem key={policy}>
                    <Link to="/policies/rules/$rule" params={{ rule: policy }} search={{ project }}>
                      {ruleTitle}
                    </Link>
                  </ListItem>
                ))}
              </List>
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
