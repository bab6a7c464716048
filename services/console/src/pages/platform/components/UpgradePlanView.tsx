import type { UpgradePlan, UpgradePlanStep, UpgradeProblem } from '@crate/api';
import { Alert, Content, List, ListItem } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { durationText } from '../measures.js';

interface OfPlan {
  readonly plan: UpgradePlan;
}

const COLUMNS = ['name', 'from', 'to', 'action', 'how'] as const;

/** What an upgrade leads to: who moves in which order, whether there is a way back, and all that is in the way. */
export function UpgradePlanView({ plan }: OfPlan): ReactElement {
  return (
    <>
      <Versions plan={plan} />
      {/* Why it cannot be had comes before what would happen: nobody scrolls for what they do not know of. */}
      <Problems plan={plan} effect="Refused" />
      <Steps plan={plan} />
      <Problems plan={plan} effect="Waits" />
    </>
  );
}

function Versions({ plan: { release, oldest } }: OfPlan): ReactElement | null {
  const { t } = useTranslation('platform');
  if (!release) return null;
  const { summary, upgradeFrom, downgradeTo, notes } = release;
  return (
    <Content>
      {summary !== undefined && <p>{summary}</p>}
      <p>
        {t(upgradeFrom === undefined ? 'upgrade.skewAny' : 'upgrade.skew', {
          from: upgradeFrom,
          oldest: oldest ?? '–',
        })}
      </p>
      <p>{t(downgradeTo === undefined ? 'upgrade.noWayBack' : 'upgrade.wayBack', { version: downgradeTo })}</p>
      {notes !== undefined && (
        <a href={notes} target="_blank" rel="noreferrer">
          {t('version.notes')}
        </a>
      )}
    </Content>
  );
}

function Steps({ plan: { steps } }: OfPlan): ReactElement {
  const { t } = useTranslation('platform');
  return (
    <Table aria-label={t('upgrade.steps')} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          {COLUMNS.map((column) => (
            <Th key={column}>{t(`upgrade.columns.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {steps.map((step) => (
          <Tr key={step.component}>
            <Td dataLabel={t('upgrade.columns.name')}>{step.component}</Td>
            <Td dataLabel={t('upgrade.columns.from')}>{step.from ?? '–'}</Td>
            <Td dataLabel={t('upgrade.columns.to')}>{step.to}</Td>
            <Td dataLabel={t('upgrade.columns.action')}>
              {t(`upgrade.actions.${step.action}`)} {step.hasFailed && t('upgrade.again')}
            </Td>
            <Td dataLabel={t('upgrade.columns.how')}>
              <Moves step={step} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function Moves({ step: { moves } }: { readonly step: UpgradePlanStep }): ReactElement {
  const { t } = useTranslation('platform');
  if (moves.length === 0) return <>–</>;
  return (
    <List isPlain>
      {moves.map(({ step, message, atLeastSeconds }) => (
        <ListItem key={step}>
          {message}
          {atLeastSeconds > 0 && `: ${t('upgrade.atLeast', { time: durationText(atLeastSeconds * 1_000) })}`}
        </ListItem>
      ))}
    </List>
  );
}

/** Told apart: what has to go before it is taken at all, and what it waits for. */
function Problems({ plan: { steps }, effect }: OfPlan & Pick<UpgradeProblem, 'effect'>): ReactElement | null {
  const { t } = useTranslation('platform');
  const found = steps.flatMap(({ component, problems }) =>
    problems.filter((problem) => problem.effect === effect).map((problem) => ({ ...problem, component })),
  );
  if (found.length === 0) return null;
  // What is in the way of several services is said once.
  const texts = [...new Set(found.map(textOf))];
  return (
    <Alert variant={effect === 'Refused' ? 'danger' : 'warning'} isInline component="h2" title={t(`upgrade.${effect}`)}>
      <List>
        {texts.map((text) => {
          const whose = found.filter((problem) => textOf(problem) === text).map(({ component }) => component);
          return (
            <ListItem key={text}>
              {whose.join(', ')}: {text}
            </ListItem>
          );
        })}
      </List>
    </Alert>
  );
}

function textOf({ message, remedy }: UpgradeProblem): string {
  return `${message}. ${remedy}`;
}
