import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { FactsCard } from '../../components/FactsCard.js';
import { DefaultsDialog } from './DefaultsDialog.js';
import { useProject } from './project-context.js';

/** What new clusters get where they say nothing, and who approves plans. */
export function DefaultsCard(): ReactElement {
  const { t } = useTranslation('projects');
  const { metadata, spec } = useProject();
  const { defaults, planApproval = 'AnyOperator' } = spec;
  const [isEditing, setEditing] = useState(false);
  const edit = (
    <DeedButton
      variant="secondary"
      needs={{ verb: 'patch', kind: KINDS.project, name: metadata.name }}
      onClick={() => setEditing(true)}
    >
      {t('defaults.edit')}
    </DeedButton>
  );
  return (
    <FactsCard
      title={t('defaults.title')}
      edit={edit}
      facts={[
        [t('defaults.accountRef'), defaults.accountRef?.name ?? t('defaults.none')],
        [t('defaults.region'), defaults.region ?? t('defaults.none')],
        [t('defaults.classRef'), defaults.classRef?.name ?? t('defaults.none')],
        [t('approval.title'), t(`approval.${planApproval}`)],
      ]}
    >
      {isEditing && <DefaultsDialog onClose={() => setEditing(false)} />}
    </FactsCard>
  );
}
