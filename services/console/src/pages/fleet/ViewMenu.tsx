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
import { useSavedViews, type SavedView } from './saved-views.js';

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
  const { views, remove } = useSavedViews();
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setOpen(false);
    // What was pressed goes with the menu: the focus is not to go with it, nor to be given back to it by a dialog.
    toggle.current?.focus();
  };
  const go = (next: FleetSearch): void => {
    close();
    onSearch(next);
  };
  const askForName = (): void => {
    close();
    setSaving(true);
  };
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
              <GivenViews search={search} onGo={go} />
              {views.length > 0 && <SavedViews views={views} search={search} onGo={go} />}
              <Divider />
              <MenuList>
                <MenuItem onClick={askForName}>{t('saveView')}</MenuItem>
              </MenuList>
            </MenuContent>
          </Menu>
        }
      />
      {isSaving && <SaveViewDialog search={search} onClose={() => setSaving(false)} />}
    </>
  );
}

interface ViewsProps {
  /** State of the page: the view that it is in is marked. */
  readonly search: FleetSearch;
  readonly onGo: (view: FleetSearch) => void;
}

function GivenViews({ search, onGo }: ViewsProps): ReactElement {
  const { t } = useTranslation('fleet');
  return (
    <MenuList>
      {Object.entries(GIVEN).map(([name, view]) => (
        <MenuItem key={name} isSelected={isSame(view, search)} onClick={() => onGo(view)}>
          {t(`view.${name}`)}
        </MenuItem>
      ))}
    </MenuList>
  );
}

/** Those that the person saved, each with a button that forgets it. */
function SavedViews({ views, search, onGo }: ViewsProps & { readonly views: readonly SavedView[] }): ReactElement {
  const { t } = useTranslation('fleet');
  const forget = (name: string): ReactElement => (
    <MenuItemAction actionId={name} icon={<TrashIcon />} aria-label={t('forgetView', { name })} />
  );
  return (
    <MenuGroup label={t('savedViews')} labelHeadingLevel="h2">
      <MenuList>
        {views.map(({ name, search: view }) => (
          <MenuItem
            key={name}
            itemId={name}
            isSelected={isSame(view, search)}
            onClick={() => onGo(view)}
            actions={forget(name)}
          >
            {name}
          </MenuItem>
        ))}
      </MenuList>
    </MenuGroup>
  );
}

/** Whether a view asks for the same as the page does, whatever columns it shows. */
function isSame(view: FleetSearch, search: FleetSearch): boolean {
  return fleetQuery(parseFleetSearch(view)) === fleetQuery(search);
}
