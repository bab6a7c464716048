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
  List,
  ListItem,
  Stack,
  Timestamp,
} from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { Name } from '../../../components/Name.js';
import type { Texts } from '../texts.js';

/** What is left of a cluster that is gone: the proof that nothing is, or what and why. */
export function DeletionProof({ record }: { readonly record: DeletionRecord }): ReactElement {
  const { t } = useTranslation('cluster');
  const { proof, forced, requestedAt, deletedAt, account, region } = record.spec;
  const present = presentOf(record);
  const kept = proof.keptVolumes ?? [];
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['asked', <Timestamp key="asked" date={new Date(requestedAt)} />],
    ['gone', <Timestamp key="gone" date={new Date(deletedAt)} />],
    ['account', `${account.name}${account.id === undefined ? '' : ` (${account.id})`} · ${region}`],
    ['tag', <Name key="tag">{proof.tag}</Name>],
    [
      'empty',
      proof.inventoryEmptyAt === undefined ? (
        t('proof.notEmpty')
      ) : (
        <Timestamp key="empty" date={new Date(proof.inventoryEmptyAt)} />
      ),
    ],
    ['abandoned', <LeftBehind key="abandoned" record={record} />],
    ['keptVolumes', kept.length === 0 ? t('proof.nothing') : <Names key="kept" names={kept} />],
    ['record', <Name key="record">{record.metadata.name}</Name>],
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
            title={titleOf(t, present, kept.length)}
          >
            {present !== 0 && <p>{t('proof.watched')}</p>}
            {forced && <p>{t('deletion.forced', forced)}</p>}
          </Alert>
          <DescriptionList isCompact orientation={{ sm: 'horizontal' }} horizontalTermWidthModifier={{ sm: '10rem' }}>
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

/** How much of it the account still has; undefined where nothing was proven and nobody could look since. */
export function presentOf({ spec: { proof }, status }: DeletionRecord): number | undefined {
  if (status?.present !== undefined) return status.present;
  return proof.abandoned.length === 0 && proof.inventoryEmptyAt === undefined ? undefined : proof.abandoned.length;
}

/** What of it the account still has; volumes that somebody kept are no remains. */
function titleOf(t: Texts, present: number | undefined, kept: number): string {
  if (present === undefined) return t('proof.unseen');
  if (present > 0) return t('proof.left', { count: present });
  return kept > 0 ? t('proof.cleanButKept', { count: kept }) : t('proof.clean');
}

/** What was left behind, and what became of it by the last listing. */
function LeftBehind({ record }: { readonly record: DeletionRecord }): ReactElement {
  const { t } = useTranslation('cluster');
  const { abandoned } = record.spec.proof;
  const watched = record.status?.watched ?? abandoned.map((each) => ({ ...each, state: 'Present' as const }));
  if (presentOf(record) === undefined) return <>{t('proof.unknown')}</>;
  if (watched.length === 0) return <>{t('proof.nothing')}</>;
  return (
    <List isPlain>
      {watched.map(({ kind, name, state, ...rest }) => (
        <ListItem key={`${kind}/${name}`}>
          {kind} <Name>{name}</Name> – {t(`proof.state.${state}`)}{' '}
          {'goneAt' in rest && rest.goneAt !== undefined && <Age since={rest.goneAt} />}
        </ListItem>
      ))}
    </List>
  );
}

function Names({ names }: { readonly names: readonly string[] }): ReactElement {
  return (
    <List isPlain>
      {names.map((name) => (
        <ListItem key={name}>
          <Name>{name}</Name>
        </ListItem>
      ))}
    </List>
  );
}
