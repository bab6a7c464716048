import type { Project } from '@crate/api';
import { Label, LabelGroup } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { FactsCard } from '../../components/FactsCard.js';
import { AllowedDialog } from './AllowedDialog.js';
import { ALLOW_LISTS } from './allow-lists.js';
import { useProject } from './project-context.js';

/** What clusters of the Project may use; platform administrators change it. */
export function AllowedCard(): ReactElement {
  const { t } = useTranslation('projects');
  const { spec } = useProject();
  const [isEditing, setEditing] = useState(false);
  const edit = (
    <DeedButton variant="secondary" needs={{ verb: 'create', kind: KINDS.project }} onClick={() => setEditing(true)}>
      {t('allowed.edit')}
    </DeedButton>
  );
  return (
    <FactsCard
      title={t('allowed.title')}
      edit={edit}
      facts={ALLOW_LISTS.map((list) => [t(`allowed.${list}`), <Allowed key={list} list={spec.allowed[list]} />])}
    >
      {isEditing && <AllowedDialog onClose={() => setEditing(false)} />}
    </FactsCard>
  );
}

/** A list that is absent allows all, an empty one nothing. */
function Allowed({ list }: { readonly list: Project['spec']['allowed']['regions'] }): ReactElement {
  const { t } = useTranslation('projects');
  if (list === undefined) return <>{t('allowed.all')}</>;
  if (list.length === 0) return <>{t('allowed.nothing')}</>;
  return (
    <LabelGroup numLabels={20}>
      {list.map((word) => (
        <Label key={word} isCompact>
          {word}
        </Label>
      ))}
    </LabelGroup>
  );
}
