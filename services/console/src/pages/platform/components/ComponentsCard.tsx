import type { Component } from '@crate/api';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { DeedButton } from '../../../components/access/DeedButton.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { TableCard } from '../TableCard.js';
import { componentViews, offeredVersions, type ComponentView } from './component-view.js';
import { PhaseLabel } from './PhaseLabel.js';
import { UpgradeDialog } from './UpgradeDialog.js';

const COLUMNS = ['name', 'runs', 'wanted', 'available', 'phase', 'ready'] as const;

/** The services as things that have a version: what runs, what is wanted, what there is and how far an upgrade is, live. */
export function ComponentsCard(): ReactElement {
  const { t } = useTranslation('platform');
  const live = useLiveList<Component>(KINDS.component);
  return (
    <LiveContent of={live}>
      <TableCard
        title={t('components.title')}
        columns={COLUMNS.map((column) => t(`components.${column}`))}
        empty={t('components.none')}
        rows={componentViews(live.items).map((view) => ({ key: view.name, cells: cellsOf(view) }))}
        actions={<UpgradeAction components={live.items} />}
      />
    </LiveContent>
  );
}

function cellsOf({
  name,
  runs,
  wanted,
  available,
  phase,
  why,
  ready,
}: ComponentView): readonly (string | ReactElement)[] {
  const where = (
    <span key="phase">
      <PhaseLabel phase={phase} /> {why}
    </span>
  );
  return [
    <span key="name" className="crate-word">
      {name}
    </span>,
    runs,
    wanted ?? '–',
    available ?? '–',
    where,
    ready,
  ];
}

function UpgradeAction({ components }: { readonly components: readonly Component[] }): ReactElement {
  const { t } = useTranslation('platform');
  const [isOpen, setOpen] = useState(false);
  const versions = offeredVersions(components);
  return (
    <>
      <DeedButton
        needs={{ verb: 'patch', kind: KINDS.component }}
        variant="secondary"
        refusal={versions.length === 0 ? t('upgrade.none') : undefined}
        onClick={() => setOpen(true)}
      >
        {t('upgrade.open')}
      </DeedButton>
      {isOpen && <UpgradeDialog components={components} versions={versions} onClose={() => setOpen(false)} />}
    </>
  );
}
