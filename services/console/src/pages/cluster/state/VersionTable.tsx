import { Button, Flex, Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { GuardedButton } from '../access/GuardedButton.js';
import type { Texts } from '../texts.js';
import type { AnyVersion, StateFamily } from './state-family.js';

interface VersionTableProps {
  readonly family: StateFamily;
  readonly versions: readonly AnyVersion[];
  readonly onShow: (version: AnyVersion) => void;
  readonly onRestore: (version: AnyVersion) => void;
}

/** Versions of a state, the newest first. */
export function VersionTable({ versions, ...shared }: VersionTableProps): ReactElement {
  const { family } = shared;
  const { t } = useTranslation('cluster');
  if (versions.length === 0) return <p>{t('states.none')}</p>;
  return (
    <Table variant="compact" aria-label={t(`states.title.${family.name}`)} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('states.serial')}</Th>
          <Th>{t('states.age')}</Th>
          <Th>{t(`states.holds.${family.name}`)}</Th>
          <Th>{t('states.by')}</Th>
          <Th>{t('states.reason')}</Th>
          <Th>{t('nodes.actions')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {versions.map((version) => (
          <VersionRow key={version.spec.serial} version={version} {...shared} />
        ))}
      </Tbody>
    </Table>
  );
}

interface VersionRowProps extends Omit<VersionTableProps, 'versions'> {
  readonly version: AnyVersion;
}

function VersionRow(props: VersionRowProps): ReactElement {
  const { family, version } = props;
  const { t } = useTranslation('cluster');
  const { serial, newest, changedBy, reason, restoredFrom } = version.spec;
  const why = restoredFrom === undefined ? undefined : t('states.restoredFrom', { serial: restoredFrom });
  return (
    <Tr>
      <Td dataLabel={t('states.serial')}>
        <div>
          {serial} {newest && <Label isCompact>{t('states.newest')}</Label>}
        </div>
      </Td>
      <Td dataLabel={t('states.age')}>
        <Age since={version.metadata.creationTimestamp} />
      </Td>
      <Td dataLabel={t(`states.holds.${family.name}`)}>{holdings(t, version)}</Td>
      <Td dataLabel={t('states.by')} modifier="breakWord">
        {changedBy ?? t('states.run')}
      </Td>
      <Td dataLabel={t('states.reason')} modifier="breakWord">
        {[why, reason].filter(Boolean).join(' ') || '–'}
      </Td>
      <Td dataLabel={t('nodes.actions')}>
        <VersionButtons {...props} />
      </Td>
    </Tr>
  );
}

/** The newest one is in place: there is nothing to restore. */
function VersionButtons({ family, version, onShow, onRestore }: VersionRowProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { serial, newest } = version.spec;
  return (
    <Flex columnGap={{ default: 'columnGapSm' }}>
      <Button size="sm" variant="secondary" aria-label={t('states.show', { serial })} onClick={() => onShow(version)}>
        {t('states.showIt')}
      </Button>
      {newest !== true && (
        <GuardedButton
          size="sm"
          variant="secondary"
          needs={{ verb: 'create', kind: family.kind, subresource: 'restore' }}
          aria-label={t('states.restoreOf', { serial })}
          onClick={() => onRestore(version)}
        >
          {t('states.restore')}
        </GuardedButton>
      )}
    </Flex>
  );
}

/** What a version knows of, in numbers. */
function holdings(t: Texts, { spec }: AnyVersion): string {
  if ('infrastructureRef' in spec) return String(spec.resources ?? '–');
  const { kubernetesVersion, nodes, certificates } = spec;
  return [
    kubernetesVersion,
    nodes === undefined ? undefined : t('states.nodes', { count: nodes }),
    certificates === undefined ? undefined : t('states.certificates', { count: certificates }),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}
