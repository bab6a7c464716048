import type { Cluster, DeletionStatus } from '@crate/api';
import { Alert, Card, CardBody, CardHeader, CardTitle, Content, List, ListItem, Stack } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { KINDS } from '../../../api/paths.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { Blockers } from './Blockers.js';
import { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';
import { decidedVolumes } from './decided-volumes.js';
import { ForceDialog } from './ForceDialog.js';
import { useAdministers } from './use-administers.js';

/** How a deletion stands: what is still in the way, counting down, and who gave up what. */
export function DeletionPanel({ cluster }: { readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const deletion = deletionOf(cluster);
  const { blockers, requestedAt } = deletion;
  const isForcible = blockers.length > 0 && deletion.forced === undefined;
  const administers = useAdministers();
  const [isForcing, setForcing] = useState(false);
  return (
    <Card>
      <CardHeader
        hasWrap
        actions={{
          actions: isForcible && (
            <GuardedButton
              variant="secondary"
              isDanger
              needs={{ verb: 'patch', kind: KINDS.cluster }}
              refusal={administers ? undefined : t('force.adminOnly')}
              onClick={() => setForcing(true)}
            >
              {t('force.open')}
            </GuardedButton>
          ),
        }}
      >
        <CardTitle component="h2">{t('deletion.title')}</CardTitle>
      </CardHeader>
      <CardBody>
        <Stack hasGutter>
          <Content>
            <div>
              {t('deletion.since')} <Age since={requestedAt} />
            </div>
            <p role="status" aria-live="polite">
              {blockers.length === 0 ? t('deletion.free') : t('deletion.left', { count: blockers.length })}
            </p>
          </Content>
          <GivenUp deletion={deletion} />
          {blockers.length > 0 && <Blockers blockers={blockers} cluster={cluster} />}
          <DecidedVolumes cluster={cluster} />
        </Stack>
      </CardBody>
      {isForcing && <ForceDialog blockers={blockers} onClose={() => setForcing(false)} />}
    </Card>
  );
}

/** Before the platform has looked for the first time nothing is known to be in the way. */
function deletionOf({ metadata, status }: Cluster): DeletionStatus {
  return status?.deletion ?? { requestedAt: metadata.deletionTimestamp ?? '', blockers: [] };
}

/** What somebody said of volumes that nobody knew about. */
function DecidedVolumes({ cluster }: { readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const { [KEEP_VOLUMES]: kept, [REMOVE_VOLUMES]: removed } = decidedVolumes(cluster);
  return (
    <>
      {kept.length > 0 && <p>{t('volume.kept', { volumes: kept.join(', ') })}</p>}
      {removed.length > 0 && <p>{t('volume.removed', { volumes: removed.join(', ') })}</p>}
    </>
  );
}

/** Who gave up what was in the way, and what is left behind for it. */
function GivenUp({ deletion }: { readonly deletion: DeletionStatus }): ReactElement {
  const { t } = useTranslation('cluster');
  const { forced, abandoned = [] } = deletion;
  return (
    <>
      {forced && (
        <Alert variant="warning" isInline component="h3" title={t('deletion.forced', forced)}>
          {t('deletion.forcedThen')}
        </Alert>
      )}
      {abandoned.length > 0 && (
        <div>
          <h3>{t('deletion.abandoned')}</h3>
          <List>
            {abandoned.map(({ kind, name }) => (
              <ListItem key={`${kind}/${name}`}>{`${kind} ${name}`}</ListItem>
            ))}
          </List>
        </div>
      )}
    </>
  );
}
