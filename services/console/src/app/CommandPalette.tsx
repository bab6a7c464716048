import {
  Menu,
  MenuContent,
  MenuGroup,
  MenuItem,
  MenuList,
  Modal,
  ModalBody,
  SearchInput,
} from '@patternfly/react-core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommands, type Command, type Found } from './use-commands.js';

const GROUPS = ['pages', 'projects', 'clusters', 'actions'] as const;

/** A dialog that was asked for by key wants to be typed into at once. */
const focusFirst = (input: HTMLInputElement | null): void => input?.focus();

/** Leads anywhere by typing: arrows choose, Enter goes, Escape closes. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const { commands, isAll } = useCommands(query);
  const navigate = useNavigate();
  const menu = useRef<HTMLDivElement>(null);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    if (command.run) command.run();
    else void navigate({ to: command.to ?? '/' });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') run(commands[0]);
    if (event.key === 'ArrowDown') menu.current?.querySelector<HTMLElement>('button,a')?.focus();
  };
  return (
    <Modal isOpen onClose={onClose} variant="small" position="top" aria-label={t('palette.label')}>
      <ModalBody>
        <SearchInput
          ref={focusFirst}
          aria-label={t('palette.hint')}
          placeholder={t('palette.hint')}
          value={query}
          onChange={(_event, value) => setQuery(value)}
          onClear={() => setQuery('')}
          onKeyDown={onKey}
        />
        <Menu ref={menu} isPlain isScrollable onSelect={(_event, id) => run(commands.find((one) => one.id === id))}>
          <MenuContent>
            <Standing query={query} commands={commands} isAll={isAll} />
            {GROUPS.map((group) => (
              <CommandGroup
                key={group}
                label={t(`palette.${group}`)}
                commands={commands.filter((one) => one.group === group)}
              />
            ))}
          </MenuContent>
        </Menu>
      </ModalBody>
    </Modal>
  );
}

/** Tells what typing led to, nothing only once that is known, and where Enter goes; seen only where it leads nowhere, as all else is seen anyway. */
function Standing({ query, commands, isAll }: Found & { readonly query: string }): ReactElement {
  const { t } = useTranslation();
  const [first] = commands;
  const found = first && query !== '' ? t('palette.found', { count: commands.length, first: first.text }) : '';
  return (
    <p role="status" className={first ? 'pf-v6-screen-reader' : 'crate-quiet'}>
      {first ? found : isAll && t('palette.none', { query })}
    </p>
  );
}

function CommandGroup(props: { readonly label: string; readonly commands: readonly Command[] }): ReactElement | null {
  if (props.commands.length === 0) return null;
  return (
    <MenuGroup label={props.label} labelHeadingLevel="h2">
      <MenuList>
        {props.commands.map(({ id, text, description }) => (
          <MenuItem key={id} itemId={id} description={description}>
            {text}
          </MenuItem>
        ))}
      </MenuList>
    </MenuGroup>
  );
}
