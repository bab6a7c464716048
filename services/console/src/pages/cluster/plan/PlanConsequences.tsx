import type { Consequences } from '@crate/api';
import { Alert, List, ListItem, Stack, Title } from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { countsText } from './counts-text.js';
import { FieldChanges } from './FieldChanges.js';
import { ImpactLabel } from './ImpactLabel.js';
import { ResourceChanges } from './ResourceChanges.js';
import { Verdict } from './Verdict.js';

/** What a change leads to: fields, machines, cloud resources, add-ons, money, quota and what policies say. */
export function PlanConsequences({ consequences }: { readonly consequences: Consequences }): ReactElement {
  return (
    <Stack hasGutter>
      <Impact {...consequences} />
      <Cost {...consequences} />
      <Policies {...consequences} />
      <CloudResources {...consequences} />
      <Machines {...consequences} />
      <AddOns {...consequences} />
      <Quota {...consequences} />
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

function Impact({ impact, fields }: Pick<Consequences, 'impact' | 'fields'>): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Part title={t('consequences.impact')}>
      <p>
        <ImpactLabel impact={impact} /> {t(`consequences.impactOf.${impact}`)}
      </p>
      <FieldChanges fields={fields} />
    </Part>
  );
}

function Cost({ cost }: Pick<Consequences, 'cost'>): ReactElement {
  const { t } = useTranslation('cluster');
  const { text, before, after, currency, pricesOf, unknown } = cost;
  const amounts = { before: before.toFixed(2), after: after.toFixed(2), currency, day: pricesOf };
  return (
    <Part title={t('consequences.cost')}>
      <p>
        <strong>{text}</strong> {t('consequences.amounts', amounts)}
      </p>
      {unknown.length > 0 && <p>{t('consequences.unpriced', { what: unknown.join(', ') })}</p>}
    </Part>
  );
}

function Policies({ policy }: Pick<Consequences, 'policy'>): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Part title={t('consequences.policy')}>
      <Verdict of={t('consequences.admission')} verdict={policy.admission} />
      <Verdict of={t('consequences.planned')} verdict={policy.plan} />
    </Part>
  );
}

function CloudResources({ terraform }: Pick<Consequences, 'terraform'>): ReactElement {
  const { t } = useTranslation('cluster');
  const { resources = [], omittedChanges = 0 } = terraform ?? {};
  const omitted = t('resources.omitted', { count: omittedChanges });
  return (
    <Part title={t('consequences.resources', { counts: countsText(t, terraform?.counts) })}>
      {!terraform && <p>{t('consequences.notAsked')}</p>}
      {resources.length > 0 && <ResourceChanges resources={resources} />}
      {omittedChanges > 0 && <Alert variant="info" isInline isPlain component="h4" title={omitted} />}
    </Part>
  );
}

function Machines({ nodes }: Pick<Consequences, 'nodes'>): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (nodes.length === 0) return null;
  return (
    <Part title={t('consequences.nodes')}>
      <List>
        {nodes.map(({ name, change }) => (
          <ListItem key={name}>{t(`consequences.node.${change}`, { name })}</ListItem>
        ))}
      </List>
    </Part>
  );
}

function AddOns({ addOns }: Pick<Consequences, 'addOns'>): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (addOns.length === 0) return null;
  return (
    <Part title={t('consequences.addOns')}>
      <List>
        {addOns.map(({ name, change, from, to }) => (
          <ListItem key={name}>{t(`consequences.addOn.${change}`, { name, from, to })}</ListItem>
        ))}
      </List>
    </Part>
  );
}

function Quota({ quota }: Pick<Consequences, 'quota'>): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Part title={t('consequences.quota')}>
      <List>
        {quota.map((of) => (
          <ListItem key={of.name}>
            {t(of.limit === undefined ? 'consequences.unlimited' : 'consequences.limited', { ...of })}
          </ListItem>
        ))}
      </List>
    </Part>
  );
}
