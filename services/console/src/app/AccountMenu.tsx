import {
  Alert,
  AlertActionLink,
  AlertGroup,
  Divider,
  Dropdown,
  DropdownItem,
  DropdownList,
  MenuToggle,
} from '@patternfly/react-core';
import { UserIcon } from '@patternfly/react-icons';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '../api/session.js';
import { forgetLiveLists } from '../api/use-live.js';
import { queryClient } from './query-client.js';
import { BROWSER } from './reload.js';
import { useSession } from './session-context.js';

/** Who is signed in, and the way out. */
export function AccountMenu(): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user, groups, platformAdmin } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { mutate: leave, isError: isStillIn } = useMutation({
    mutationFn: signOut,
    retry: false,
    // Asked without a network, too: it fails then, and the person is told.
    networkMode: 'always',
    onSuccess: async (next) => {
      queryClient.clear();
      forgetLiveLists();
      if (next === undefined) await navigate({ to: '/sign-in' });
      else BROWSER.goTo(next);
    },
  });
  return (
    <>
      {isStillIn && (
        <AlertGroup isToast isLiveRegion>
          <Alert
            variant="danger"
            title={t('account.stillIn')}
            actionLinks={<AlertActionLink onClick={() => leave()}>{t('account.signOut')}</AlertActionLink>}
          >
            {t('account.stillInHelp')}
          </Alert>
        </AlertGroup>
      )}
      <Dropdown
        isOpen={isOpen}
        onOpenChange={setOpen}
        popperProps={{ position: 'right', preventOverflow: true }}
        toggle={(ref) => (
          <MenuToggle
            ref={ref}
            variant="plain"
            isExpanded={isOpen}
            aria-label={t('account.signedInAs', { user })}
            icon={<UserIcon />}
            onClick={() => setOpen(!isOpen)}
          >
            <span className="crate-wide-only">{user}</span>
          </MenuToggle>
        )}
      >
        <DropdownList>
          <DropdownItem
            isDisabled
            description={platformAdmin ? t('account.admin') : t('account.groups', { groups: groups.join(', ') || '–' })}
          >
            {user}
          </DropdownItem>
          <Divider component="li" />
          <DropdownItem to="/docs" target="_blank">
            {t('nav.reference')}
          </DropdownItem>
          <DropdownItem onClick={() => leave()}>{t('account.signOut')}</DropdownItem>
        </DropdownList>
      </Dropdown>
    </>
  );
}
