import type { Consequences } from '@crate/api';
import { Alert, Label, List, ListItem, Stack, Title } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { countsText } from './counts-text.js';
import { ResourceChanges } from './ResourceChanges.js';
import { valueText } from './value-text.js';
import { Verdict } from './Verdict.js';

const IMPACTS = { none: 'green', restart: 'yellow', roll: 'orange', replace: 'red' } as const;

/** What a change leads to: fields, machines, cloud resources, add-ons, money, quota and what policies say. */
export function PlanConsequences({ consequences }: { readonly consequences: Consequences }): ReactElement {
  const { t } = useTranslation('cluster');
  const { impact, terraform, nodes, addOns, policy, quota, cost } = consequences;
  return (
    <Stack hasGutter>
      <Part title={t('consequences.impact')}>
        <p>
          <Label color={IMPACTS[impact]}>{impact}</Label> {t(`consequences.impactOf.${impact}`)}
        </p>
        <Fields fields={consequences.fields} />
      </Part>
      <Part title={t('consequences.cost')}>
        <p>
          <strong>{cost.text}</strong>{' '}
          {t('consequences.amounts', {
            before: cost.before.toFixed(2),
            after: cost.after.toFixed(2),
            currency: cost.currency,
            day: cost.pricesOf,
          })}
        </p>
        {cost.unknown.length > 0 && <p>{t('consequences.unpriced', { what: cost.unknown.join(', ') })}</p>}
      </Part>
      <Part title={t('consequences.policy')}>
        <Verdict of={t('consequences.admission')} verdict={policy.admission} />
        <Verdict of={t('consequences.planned')} verdict={policy.plan} />
      </Part>
      <Part title={t('consequences.resources', { counts: countsText(t, terraform?.counts) })}>
        {!terraform && <p>{t('consequences.notAsked')}</p>}
        {terraform && terraform.resources.length > 0 && <ResourceChanges resources={terraform.resources} />}
        {(terraform?.omittedChanges ?? 0) > 0 && (
          <Alert
            variant="info"
            isInline
            isPlain
            component="h4"
            title={t('resources.omitted', { count: terraform?.omittedChanges })}
          />
        )}
      </Part>
      {nodes.length > 0 && (
        <Part title={t('consequences.nodes')}>
          <List>
            {nodes.map(({ name, change }) => (
              <ListItem key={name}>{t(`consequences.node.${change}`, { name })}</ListItem>
            ))}
          </List>
        </Part>
      )}
      {addOns.length > 0 && (
        <Part title={t('consequences.addOns')}>
          <List>
            {addOns.map(({ name, change, from, to }) => (
              <ListItem key={name}>{t(`consequences.addOn.${change}`, { name, from, to })}</ListItem>
            ))}
          </List>
        </Part>
      )}
      <Part title={t('consequences.quota')}>
        <List>
          {quota.map(({ name, before, after, limit }) => (
            <ListItem key={name}>
              {t(limit === undefined ? 'consequences.unlimited' : 'consequences.limited', {
                name,
                before,
                after,
                limit,
              })}
            </ListItem>
          ))}
        </List>
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <Stack component="section" hasGutter>
      <Title headingLevel="h3" size="md">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Fields({ fields }: Pick<Consequences, 'fields'>): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (fields.length === 0) return null;
  return (
    <Table variant="compact" aria-label={t('consequences.fields')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('consequences.field')}</Th>
          <Th>{t('resources.before')}</Th>
          <Th>{t('resources.after')}</Th>
          <Th>{t('plan.impact')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {fields.map(({ field, before, after, impact }) => (
          <Tr key={field}>
            <Td dataLabel={t('consequences.field')} modifier="breakWord">
              {field}
            </Td>
            <Td dataLabel={t('resources.before')} modifier="breakWord">
              {valueText(before)}
            </Td>
            <Td dataLabel={t('resources.after')} modifier="breakWord">
              {valueText(after)}
            </Td>
            <Td dataLabel={t('plan.impact')}>
              <Label isCompact color={IMPACTS[impact]}>
                {impact}
              </Label>
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
