import { Label, type LabelProps } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const LOOKS: Readonly<Record<string, LabelProps['status']>> = {
  UpToDate: 'success',
  Available: 'info',
  Canary: 'info',
  Rolling: 'info',
  Soaking: 'info',
  RollingBack: 'danger',
  RolledBack: 'danger',
};

/** Where a component is, by word, colour and sign; what waits is told apart from what goes on. */
export function PhaseLabel({ phase }: { readonly phase: string }): ReactElement {
  const { t } = useTranslation('platform');
  return (
    <Label isCompact status={LOOKS[phase] ?? 'warning'}>
      {t(`components.phases.${phase}`, phase)}
    </Label>
  );
}
