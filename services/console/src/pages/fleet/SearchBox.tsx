import { SearchInput } from '@patternfly/react-core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const TYPING_MS = 200;

interface SearchBoxProps {
  readonly value: string;
  /** Called once typing has paused. */
  readonly onSearch: (text: string | undefined) => void;
}

/** Text search of the fleet. */
export function SearchBox({ value, onSearch }: SearchBoxProps): ReactElement {
  const { t } = useTranslation('fleet');
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The URL changed by other means: back, a saved view, "clear".
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(next.trim() === '' ? undefined : next.trim()), TYPING_MS);
  };
  return (
    <SearchInput
      aria-label={t('search')}
      placeholder={t('search')}
      value={text}
      onChange={(_event, next) => type(next)}
      onClear={() => type('')}
    />
  );
}
