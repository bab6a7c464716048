import {
  Alert,
  AlertActionCloseButton,
  AlertActionLink,
  AlertGroup,
  Divider,
  Dropdown,
  DropdownItem,
  DropdownList,
  MenuToggle,
} from '@patternfly/react-core';
import { UserIcon } from '@patternfly/react-icons';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from './session-context.js';
import { useSignOut } from './use-sign-out.js';

/** Who is signed in, and the way out. */
export function AccountMenu(): ReactElement {
  const { t } = useTranslation();
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { leave, isStillIn, stay } = useSignOut();
  return (
    <>
      {isStillIn && <StillIn onRetry={leave} onClose={stay} />}
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
          <Person />
          <Divider component="li" />
          <DropdownItem to="/docs" target="_blank">
            {t('nav.reference')}
          </DropdownItem>
          <DropdownItem onClick={leave}>{t('account.signOut')}</DropdownItem>
        </DropdownList>
      </Dropdown>
    </>
  );
}

/** Nothing to choose: who it is, and what they are to the platform. */
function Person(): ReactElement {
  const { t } = useTranslation();
  const { user, groups, platformAdmin } = useSession();
  const standing = platformAdmin ? t('account.admin') : t('account.groups', { groups: groups.join(', ') || '–' });
  return (
    <DropdownItem isDisabled description={standing}>
      {user}
    </DropdownItem>
  );
}

interface StillInProps {
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** The platform did not end the session: who goes now leaves it to the next person. */
function StillIn({ onRetry, onClose }: StillInProps): ReactElement {
  const { t } = useTranslation();
  return (
    <AlertGroup isToast isLiveRegion>
      <Alert
        variant="danger"
        title={t('account.stillIn')}
        actionClose={<AlertActionCloseButton title={t('actions.close')} onClose={onClose} />}
        actionLinks={<AlertActionLink onClick={onRetry}>{t('account.signOut')}</AlertActionLink>}
      >
        {t('account.stillInHelp')}
      </Alert>
    </AlertGroup>
  );
}
