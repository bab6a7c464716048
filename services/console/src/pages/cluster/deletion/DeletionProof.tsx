import type { DeletionRecord } from '@crate/api';
import {
  Alert,
  Card,
  CardBody,
  CardTitle,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Stack,
  Timestamp,
} from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** What is left of a cluster that is gone: the proof that nothing is, or what and why. */
export function DeletionProof({ record }: { readonly record: DeletionRecord }): ReactElement {
  const { t } = useTranslation('cluster');
  const { proof, forced, requestedAt, deletedAt, account, region } = record.spec;
  const present = record.status?.present ?? proof.abandoned.length;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['asked', <Timestamp key="asked" date={new Date(requestedAt)} />],
    ['gone', <Timestamp key="gone" date={new Date(deletedAt)} />],
    ['account', `${account.name}${account.id === undefined ? '' : ` (${account.id})`} · ${region}`],
    ['tag', proof.tag],
    [
      'empty',
      proof.inventoryEmptyAt === undefined ? (
        t('proof.notEmpty')
      ) : (
        <Timestamp key="empty" date={new Date(proof.inventoryEmptyAt)} />
      ),
    ],
    [
      'abandoned',
      namesOf(
        proof.abandoned.map(({ kind, name }) => `${kind} ${name}`),
        t('proof.nothing'),
      ),
    ],
    ['keptVolumes', namesOf(proof.keptVolumes ?? [], t('proof.nothing'))],
    ['record', record.metadata.name],
  ];
  return (
    <Card>
      <CardTitle component="h2">{t('proof.title')}</CardTitle>
      <CardBody>
        <Stack hasGutter>
          <Alert
            isInline
            component="h3"
            variant={present === 0 ? 'success' : 'warning'}
            title={present === 0 ? t('proof.clean') : t('proof.left', { count: present })}
          >
            {forced && <p>{t('deletion.forced', forced)}</p>}
          </Alert>
          <DescriptionList isHorizontal isCompact isFluid>
            {facts.map(([name, value]) => (
              <DescriptionListGroup key={name}>
                <DescriptionListTerm>{t(`proof.${name}`)}</DescriptionListTerm>
                <DescriptionListDescription>{value}</DescriptionListDescription>
              </DescriptionListGroup>
            ))}
          </DescriptionList>
        </Stack>
      </CardBody>
    </Card>
  );
}

function namesOf(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(', ');
}
