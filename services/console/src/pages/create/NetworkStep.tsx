import { ExpandableSection, Form } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { causesOfStep, useCreate } from './create-context.js';
import { NumberField } from '../../components/form/NumberField.js';
import { TextField } from '../../components/form/TextField.js';

const BLOCKS = ['vpcCidr', 'podCidr', 'serviceCidr'] as const;
const MOST_ZONES = 3;

/** Zones, and address blocks for who needs others than the usual ones. */
export function NetworkStep(): ReactElement {
  const { t } = useTranslation('create');
  const state = useCreate();
  const isStated = state.draft.spec['network'] !== undefined || causesOfStep(state, 'network').length > 0;
  const [isOpen, setOpen] = useState(isStated);
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <p>{t('networkIntro')}</p>
      <ExpandableSection
        toggleText={t('networkMore')}
        isExpanded={isOpen}
        onToggle={(_event, isNext) => setOpen(isNext)}
      >
        <NumberField
          path={['spec', 'network', 'availabilityZones']}
          label={t('field.availabilityZones')}
          help={t('help.availabilityZones')}
          min={1}
          max={MOST_ZONES}
        />
        {BLOCKS.map((block) => (
          <TextField key={block} path={['spec', 'network', block]} label={t(`field.${block}`)} />
        ))}
      </ExpandableSection>
    </Form>
  );
}
