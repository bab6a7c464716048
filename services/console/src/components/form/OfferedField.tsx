import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceField } from './ChoiceField.js';
import { TextField } from './TextField.js';
import type { DocumentPath } from './document-path.js';

interface OfferedFieldProps {
  readonly path: DocumentPath;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** True until it is known what there is to choose from. */
  readonly areComing: boolean;
  /** Text of the choice that states nothing. */
  readonly none: string;
  /** Said where there is nothing to choose from. */
  readonly help?: string | undefined;
  readonly isRequired?: boolean;
  readonly onChoice?: (value: string | undefined) => void;
}

/**
 * One of what there is; who may not see what there is types its name. Which of both it is follows from the first answer,
 * and stays: what arrives later becomes suggestions, and takes nothing away that was typed.
 */
export function OfferedField({ options, areComing, none, help, onChoice, ...field }: OfferedFieldProps): ReactElement {
  const { t } = useTranslation();
  const [isTyped, setTyped] = useState(false);
  if (!areComing && options.length === 0 && !isTyped) setTyped(true);
  if (isTyped) return <TextField {...field} help={help} suggestions={options.map(({ value }) => value)} />;
  return (
    <ChoiceField
      {...field}
      options={options}
      none={areComing ? t('state.loading') : none}
      {...(onChoice ? { onChoice } : {})}
    />
  );
}
