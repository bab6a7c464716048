import { ToggleGroup, ToggleGroupItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ENGINE, TERRAFORM, type StateFamily } from './state-family.js';

interface FamilyToggleProps {
  readonly family: StateFamily;
  readonly onChoose: (family: StateFamily) => void;
}

/** Which of the two states is looked at. */
export function FamilyToggle({ family, onChoose }: FamilyToggleProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <ToggleGroup aria-label={t('states.which')}>
      {[TERRAFORM, ENGINE].map((each) => (
        <ToggleGroupItem
          key={each.name}
          text={t(`states.of.${each.name}`)}
          isSelected={family === each}
          onChange={() => onChoose(each)}
        />
      ))}
    </ToggleGroup>
  );
}
