import type { Cluster } from '@crate/api';
import { DropdownItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useMay } from '../access/use-may.js';
import { upgradesOf } from './cluster-upgrades.js';

interface UpgradeItemProps {
  readonly cluster: Cluster;
  readonly onChoose: () => void;
}

/** Leads to another version of Kubernetes; says why it does not where there is none to go to, or the person may not. */
export function UpgradeItem({ cluster, onChoose }: UpgradeItemProps): ReactElement {
  const { t } = useTranslation('cluster');
  const may = useMay({ verb: 'patch', kind: KINDS.cluster });
  const { from, versions } = upgradesOf(cluster);
  const isGoing = cluster.metadata.deletionTimestamp !== undefined;
  const says = (): string => {
    if (from === undefined) return t('actions.upgradeOthers');
    if (!may) return t('actions.mayNot');
    if (isGoing) return t('actions.deleting');
    if (versions.length === 0) return t('actions.upgradeNone', { from });
    return t('actions.upgradeHelp', { from, count: versions.length });
  };
  return (
    <DropdownItem isAriaDisabled={!may || isGoing || versions.length === 0} description={says()} onClick={onChoose}>
      {t('actions.upgrade')}
    </DropdownItem>
  );
}
