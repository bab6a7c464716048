import type { Cluster } from '@crate/api';
import { Divider, Dropdown, DropdownItem, DropdownList, MenuToggle } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedError } from '../../components/access/DeedError.js';
import { useMay } from './access/use-may.js';
import { patchCluster } from './cluster-writes.js';
import { ApproveDialog } from './deletion/ApproveDialog.js';
import { DeleteDialog } from './deletion/DeleteDialog.js';
import { UpgradeDialog } from './upgrade/UpgradeDialog.js';
import { UpgradeItem } from './upgrade/UpgradeItem.js';
import { useClusterKey } from './use-cluster-key.js';

type Asked = 'approve' | 'delete' | 'upgrade';

interface ClusterActionsProps {
  readonly cluster: Cluster;
}

/** What can be done with the cluster as a whole; what the person may not is there, and says so. */
export function ClusterActions({ cluster }: ClusterActionsProps): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  // Asked for before the menu is opened, so that it says at once what one may.
  const mayChange = useMay({ verb: 'patch', kind: KINDS.cluster });
  const mayDelete = useMay({ verb: 'delete', kind: KINDS.cluster });
  const { mutate, error } = useMutation({ mutationFn: (change: () => Promise<unknown>) => change() });
  const pause = (paused: boolean): void => mutate(() => patchCluster(key, { spec: { paused } }));
  return (
    <>
      <Dropdown
        isOpen={isOpen}
        onOpenChange={setOpen}
        onSelect={() => setOpen(false)}
        shouldFocusToggleOnSelect
        popperProps={{ position: 'right', preventOverflow: true }}
        toggle={(ref) => (
          <MenuToggle ref={ref} variant="secondary" isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('actions.open')}
          </MenuToggle>
        )}
      >
        <ActionItems cluster={cluster} mayChange={mayChange} mayDelete={mayDelete} onPause={pause} onAsk={setAsked} />
      </Dropdown>
      <DeedError error={error} />
      {asked === 'approve' && <ApproveDialog onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && <DeleteDialog cluster={cluster} onClose={() => setAsked(undefined)} />}
      {asked === 'upgrade' && <UpgradeDialog cluster={cluster} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface ActionItemsProps extends ClusterActionsProps {
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
  readonly onPause: (paused: boolean) => void;
  readonly onAsk: (asked: Asked) => void;
}

function ActionItems(props: ActionItemsProps): ReactElement {
  const { cluster, mayChange, mayDelete, onPause, onAsk } = props;
  const { t } = useTranslation('cluster');
  const { paused, deletionProtection } = cluster.spec;
  const isGoing = cluster.metadata.deletionTimestamp !== undefined;
  return (
    <DropdownList>
      <UpgradeItem cluster={cluster} onChoose={() => onAsk('upgrade')} />
      <DropdownItem
        isAriaDisabled={!mayChange}
        description={t(mayChange ? 'actions.pauseHelp' : 'actions.mayNot')}
        onClick={() => onPause(!paused)}
      >
        {t(paused ? 'actions.resume' : 'actions.pause')}
      </DropdownItem>
      {deletionProtection === true && !isGoing && (
        <DropdownItem
          isAriaDisabled={!mayChange}
          description={t(mayChange ? 'actions.approveHelp' : 'actions.mayNot')}
          onClick={() => onAsk('approve')}
        >
          {t('actions.approve')}
        </DropdownItem>
      )}
      <Divider component="li" />
      <DropdownItem
        isDanger
        isAriaDisabled={!mayDelete || isGoing}
        {...(mayDelete ? {} : { description: t('actions.mayNot') })}
        onClick={() => onAsk('delete')}
      >
        {t(isGoing ? 'actions.deleting' : 'actions.delete')}
      </DropdownItem>
    </DropdownList>
  );
}
