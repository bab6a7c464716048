import type { Policy } from '@crate/api';
import { List, ListItem } from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FactsCard } from '../../../components/FactsCard.js';
import { packOf } from './rule-view.js';

const LINK = /^https?:\/\/\S+$/;

/** What a rule is about, in words. */
export function RuleFacts({ policy }: { readonly policy: Policy }): ReactElement {
  const { t } = useTranslation('policies');
  const { spec } = policy;
  const { match } = spec;
  const listed = (names: readonly string[] | undefined): string => names?.join(', ') ?? t('rules.all');
  const excluded = match.excludeProjects ? ` (${t('rules.except', { names: listed(match.excludeProjects) })})` : '';
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('rules.why'), spec.description ?? '–'],
    [t('rules.remedy'), spec.remedy],
    [t('rules.references'), <References key="references" references={spec.references} />],
    [t('rules.pack'), packOf(policy) === '' ? t('rules.own') : packOf(policy)],
    [t('rules.stages'), match.stages.join(', ')],
    [t('rules.kinds'), listed(match.kinds)],
    [t('rules.projects'), `${listed(match.projects)}${excluded}`],
    [t('rules.providers'), listed(match.providers)],
    [t('rules.engines'), listed(match.engines)],
    [t('rules.waivable'), t(`rules.waivableBy.${spec.waivableBy}`)],
    [t('rules.exceptions'), <Exceptions key="exceptions" policy={policy} />],
  ];
  return <FactsCard title={t('rules.about')} heading="h3" facts={facts} />;
}

function References({ references }: { readonly references: readonly string[] }): ReactElement {
  if (references.length === 0) return <>–</>;
  return (
    <List isPlain>
      {references.map((reference) => (
        <ListItem key={reference}>
          {LINK.test(reference) ? (
            <a href={reference} target="_blank" rel="noreferrer">
              {reference}
            </a>
          ) : (
            reference
          )}
        </ListItem>
      ))}
    </List>
  );
}

function Exceptions({ policy }: { readonly policy: Policy }): ReactElement {
  const { t } = useTranslation('policies');
  const { exceptions, enforcement } = policy.spec;
  return (
    <List isPlain>
      <ListItem>
        {t('rules.byDefault')}: {t(`enforcement.${enforcement}`)}
      </ListItem>
      {exceptions.map(({ projects, enforcement: other = enforcement, params }) => (
        <ListItem key={projects.join()}>
          {t('rules.inProjects', { names: projects.join(', ') })}: {t(`enforcement.${other}`)}
          {params !== undefined && <code> {JSON.stringify(params)}</code>}
        </ListItem>
      ))}
    </List>
  );
}
