import {
  Badge,
  MenuToggle,
  SearchInput,
  Select,
  SelectList,
  SelectOption,
  MenuSearch,
  MenuSearchInput,
} from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface FilterMenuProps {
  readonly label: string;
  readonly options: readonly { readonly word: string; readonly text: string; readonly count?: number | undefined }[];
  readonly chosen: readonly string[];
  readonly onToggle: (word: string) => void;
}

/** With more options than this, they can be searched. */
const MANY = 8;

/** Words of one filter to choose from, any number of them. */
export function FilterMenu({ label, options, chosen, onToggle }: FilterMenuProps): ReactElement {
  const { t } = useTranslation('fleet');
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const open = (isNow: boolean): void => {
    setOpen(isNow);
    setQuery('');
  };
  const found = options.filter(({ text }) => text.toLowerCase().includes(query.toLowerCase()));
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      popperProps={{ preventOverflow: true }}
      isScrollable
      selected={[...chosen]}
      onOpenChange={open}
      onSelect={(_event, word) => onToggle(String(word))}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          isExpanded={isOpen}
          onClick={() => open(!isOpen)}
          {...(chosen.length > 0 ? { badge: <Badge isRead>{chosen.length}</Badge> } : {})}
        >
          {label}
        </MenuToggle>
      )}
    >
      {options.length > MANY && (
        <MenuSearch>
          <MenuSearchInput>
            <SearchInput
              aria-label={t('searchOptions', { label })}
              value={query}
              onChange={(_event, value) => setQuery(value)}
              onClear={() => setQuery('')}
            />
          </MenuSearchInput>
        </MenuSearch>
      )}
      <SelectList>
        {found.length === 0 && <SelectOption isDisabled>{t('noOptions')}</SelectOption>}
        {found.map(({ word, text, count }) => (
          <SelectOption key={word} value={word} hasCheckbox isSelected={chosen.includes(word)}>
            {count === undefined ? text : t('optionCount', { text, count })}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
