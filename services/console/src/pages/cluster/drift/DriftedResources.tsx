import type { DriftReport } from '@crate/api';
import { Label, List, ListItem, Stack, StackItem, Title } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { valueText } from '../plan/value-text.js';

type Drift = NonNullable<DriftReport['drift']>;
type Resource = Drift['resources'][number];

/** Each cloud resource that differs, attribute by attribute, and what was left as it was found. */
export function DriftedResources({ drift }: { readonly drift: Drift }): ReactElement {
  const { t } = useTranslation('cluster');
  const { resources, omitted, kept = [] } = drift;
  return (
    <Stack hasGutter>
      {resources.map((resource) => (
        <StackItem key={resource.address}>
          <Differing resource={resource} />
        </StackItem>
      ))}
      {omitted > 0 && <StackItem>{t('drift.omitted', { count: omitted })}</StackItem>}
      {kept.length > 0 && (
        <StackItem>
          <Title headingLevel="h3" size="md">
            {t('drift.kept')}
          </Title>
          <List>
            {kept.map(({ address, path }) => (
              <ListItem key={`${address} ${path}`}>{t('drift.keptOf', { address, path })}</ListItem>
            ))}
          </List>
        </StackItem>
      )}
    </Stack>
  );
}

function Differing({ resource }: { readonly resource: Resource }): ReactElement {
  const { t } = useTranslation('cluster');
  const { address, id, kind, attributes, omittedAttributes = 0 } = resource;
  return (
    <>
      <Title headingLevel="h3" size="md">
        {address}{' '}
        <Label isCompact status={kind === 'missing' ? 'danger' : 'warning'}>
          {t(`drift.is.${kind}`)}
        </Label>
      </Title>
      {id !== undefined && <p>{t('drift.id', { id })}</p>}
      {attributes.length > 0 && (
        <Table variant="compact" aria-label={t('resources.attributesOf', { address })} gridBreakPoint="grid-lg">
          <Thead>
            <Tr>
              <Th>{t('resources.attribute')}</Th>
              <Th>{t('drift.wanted')}</Th>
              <Th>{t('drift.found')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {attributes.map(({ path, wanted, found, isSensitive }) => (
              <Tr key={path}>
                <Td dataLabel={t('resources.attribute')} modifier="breakWord">
                  {path}
                </Td>
                <Td dataLabel={t('drift.wanted')} modifier="breakWord">
                  {isSensitive ? t('resources.masked') : valueText(wanted)}
                </Td>
                <Td dataLabel={t('drift.found')} modifier="breakWord">
                  {isSensitive ? t('resources.masked') : valueText(found)}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
      {omittedAttributes > 0 && <p>{t('drift.omittedAttributes', { count: omittedAttributes })}</p>}
    </>
  );
}
