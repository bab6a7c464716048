import { SearchInput } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTypedText } from './use-typed-text.js';

interface TextFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  /** Called once typing has paused. */
  readonly onChange: (value: string) => void;
}

/** Words that rows are looked for by. */
export function TextFilter({ label, value = '', onChange }: TextFilterProps): ReactElement {
  const [text, type] = useTypedText(value, onChange);
  return (
    <SearchInput
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(_, next) => type(next)}
      onClear={() => type('')}
    />
  );
}
