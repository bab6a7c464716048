import type { AddOn, AddOnInstallation } from '@crate/api';
import { Card, CardBody, CardTitle, Content } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../../api/http.js';
import { collectionPath, KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { AddOnDialog } from './AddOnDialog.js';
import { AddOnTable, type AddOnDeed } from './AddOnTable.js';
import { addOnRows, type AddOnRow } from './add-on-rows.js';
import { RemoveAddOnDialog } from './RemoveAddOnDialog.js';

interface Chosen {
  readonly row: AddOnRow;
  readonly deed: AddOnDeed;
}

/** The add-ons of the catalogue: what is installed, what can be, and what to do about it. */
export function AddOnsTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const cluster = useCluster();
  const [chosen, setChosen] = useState<Chosen>();
  const installations = useLiveList<AddOnInstallation>(KINDS.addOnInstallation, {
    namespace: project,
    labelSelector: `lifecycle.crate.dev/cluster=${name}`,
  });
  const { data, error, refetch } = useQuery({
    queryKey: ['add-ons'],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly AddOn[] }>(collectionPath(KINDS.addOn), { signal }),
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const rows = addOnRows(cluster, data?.items ?? [], installations.items);
  const close = (): void => setChosen(undefined);
  return (
    <Card>
      <CardTitle component="h2">{t('addOns.title')}</CardTitle>
      <CardBody>
        <Content component="p">{t('addOns.follows')}</Content>
        <NotReadAnew error={error} />
        <LiveContent of={installations}>
          <AddOnTable rows={rows} onChoose={(row, deed) => setChosen({ row, deed })} />
        </LiveContent>
      </CardBody>
      {chosen?.deed === 'remove' && <RemoveAddOnDialog row={chosen.row} onClose={close} />}
      {chosen && chosen.deed !== 'remove' && chosen.row.addOn && (
        <AddOnDialog row={chosen.row} addOn={chosen.row.addOn} deed={chosen.deed} onClose={close} />
      )}
    </Card>
  );
}
