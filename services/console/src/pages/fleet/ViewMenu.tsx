import {
  Divider,
  Menu,
  MenuContainer,
  MenuContent,
  MenuGroup,
  MenuItem,
  MenuItemAction,
  MenuList,
  MenuToggle,
} from '@patternfly/react-core';
import { TrashIcon } from '@patternfly/react-icons';
import { useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SaveViewDialog } from './SaveViewDialog.js';
import { fleetQuery, parseFleetSearch, type FleetSearch } from './fleet-search.js';
import { useSavedViews } from './saved-views.js';

interface ViewMenuProps {
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch) => void;
}

/** Views that everybody has. */
const GIVEN: Readonly<Record<string, FleetSearch>> = {
  everything: {},
  pressing: { health: 'Failing,Blocked,Degraded' },
  underWay: { health: 'Progressing,Deleting' },
  newest: { sort: 'age' },
  dearest: { sort: '-cost' },
};

/** Views by name: goes to one, saves this one, forgets one. */
export function ViewMenu({ search, onSearch }: ViewMenuProps): ReactElement {
  const { t } = useTranslation('fleet');
  const { views: saved, remove } = useSavedViews();
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const go = (next: FleetSearch): void => {
    setOpen(false);
    onSearch(next);
  };
  const here = fleetQuery(search);
  const isHere = (view: FleetSearch): boolean => fleetQuery(parseFleetSearch(view)) === here;
  return (
    <>
      <MenuContainer
        isOpen={isOpen}
        onOpenChange={setOpen}
        menuRef={menu}
        toggleRef={toggle}
        toggle={
          <MenuToggle ref={toggle} isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('views')}
          </MenuToggle>
        }
        menu={
          <Menu ref={menu} onActionClick={(_event, name) => remove(String(name))}>
            <MenuContent>
              <MenuList>
                {Object.entries(GIVEN).map(([name, view]) => (
                  <MenuItem key={name} isSelected={isHere(view)} onClick={() => go(view)}>
                    {t(`view.${name}`)}
                  </MenuItem>
                ))}
              </MenuList>
              {saved.length > 0 && (
                <MenuGroup label={t('savedViews')} labelHeadingLevel="h2">
                  <MenuList>
                    {saved.map((view) => (
                      <MenuItem
                        key={view.name}
                        itemId={view.name}
                        isSelected={isHere(view.search)}
                        onClick={() => go(view.search)}
                        actions={
                          <MenuItemAction
                            actionId={view.name}
                            icon={<TrashIcon />}
                            aria-label={t('forgetView', { name: view.name })}
                          />
                        }
                      >
                        {view.name}
                      </MenuItem>
                    ))}
                  </MenuList>
                </MenuGroup>
              )}
              <Divider />
              <MenuList>
                <MenuItem
                  onClick={() => {
                    setOpen(false);
                    setSaving(true);
                  }}
                >
                  {t('saveView')}
                </MenuItem>
              </MenuList>
            </MenuContent>
          </Menu>
        }
      />
      {isSaving && <SaveViewDialog search={search} onClose={() => setSaving(false)} />}
    </>
  );
}
