import { MenuToggle, Select, SelectList, SelectOption } from '@patternfly/react-core';
import { ColumnsIcon } from '@patternfly/react-icons';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { chosenColumns, COLUMNS } from './columns.js';
import { withWords, wordsOf, type FleetSearch } from './fleet-search.js';

interface ColumnMenuProps {
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch) => void;
}

/** Which columns are shown. */
export function ColumnMenu({ search, onSearch }: ColumnMenuProps): ReactElement {
  const { t } = useTranslation('fleet');
  const [isOpen, setOpen] = useState(false);
  const shown = chosenColumns(wordsOf(search, 'columns')).map(({ id }) => id);
  const toggle = (id: string): void => {
    const next = COLUMNS.map((column) => column.id).filter((each) => shown.includes(each) !== (each === id));
    const isUsual =
      next.join() ===
      chosenColumns([])
        .map((column) => column.id)
        .join();
    onSearch(withWords(search, 'columns', isUsual ? [] : next));
  };
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      popperProps={{ preventOverflow: true }}
      onOpenChange={setOpen}
      onSelect={(_event, id) => toggle(String(id))}
      toggle={(ref) => (
        <MenuToggle ref={ref} icon={<ColumnsIcon />} isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('columns')}
        </MenuToggle>
      )}
    >
      <SelectList>
        {COLUMNS.map(({ id }) => (
          <SelectOption key={id} value={id} hasCheckbox isSelected={shown.includes(id)} isDisabled={id === 'name'}>
            {t(`column.${id}`)}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
