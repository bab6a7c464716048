import { Banner } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useFromNow } from '../components/use-now.js';
import { useSession } from './session-context.js';

const SOON_MS = 5 * 60_000;
/** In another tab: what is typed in this one stays, and both have the new session. */
const ANEW = '/console/sign-in';

/** Says some minutes before that the session ends, with the way to another one; nothing before, and of one that does not end. */
export function SessionEnd(): ReactElement {
  const { t } = useTranslation();
  const { expiresAt } = useSession();
  const endMs = expiresAt === null ? Infinity : Date.parse(expiresAt);
  const isSoon = useFromNow((now) => endMs - now < SOON_MS);
  return (
    <div role="status">
      {isSoon && (
        <Banner color="yellow">
          {t('account.ends', { when: new Date(endMs).toLocaleTimeString() })} {t('account.endsHelp')}{' '}
          <a href={ANEW} target="_blank" rel="noreferrer">
            {t('account.signInAnew')}
          </a>
        </Banner>
      )}
    </div>
  );
}
