import { SearchInput } from '@patternfly/react-core';
import type { ReactElement } from 'react';

interface TextFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Words that rows are looked for by. */
export function TextFilter({ label, value = '', onChange }: TextFilterProps): ReactElement {
  return (
    <SearchInput
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(_, text) => onChange(text)}
      onClear={() => onChange('')}
    />
  );
}
