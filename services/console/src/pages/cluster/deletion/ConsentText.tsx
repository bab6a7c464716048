import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { untilOf, type Consent } from './consent.js';
import type { Consents } from './use-consents.js';

/** Who consented to the deletion, until when that counts, and for whom. */
export function ConsentText({ consents }: { readonly consents: Consents }): ReactElement {
  const { t } = useTranslation('cluster');
  const { confirmed, approved, isOwnApproval } = consents;
  const of = ({ by, at }: Consent): { by: string; until: string } => ({ by, until: untilOf(at) });
  return (
    <>
      {confirmed && <p>{t('consent.confirmed', of(confirmed))}</p>}
      {approved && <p>{t(isOwnApproval ? 'consent.own' : 'consent.approved', of(approved))}</p>}
    </>
  );
}
