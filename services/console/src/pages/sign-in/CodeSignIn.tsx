import { Alert, AlertActionLink, Spinner } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error.js';
import { signInWithCode } from '../../api/session.js';
import { SESSION_QUERY, takeSession } from '../../app/session-query.js';

/**
 * Signs in with the code that the command line opened this page with; asked once, because it is good once. Somebody else may have sent the
 * address: it takes a click to replace the session of another.
 */
export function CodeSignIn({ code, to }: { readonly code: string; readonly to: string }): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [replace, setReplace] = useState(false);
  const {
    data: session,
    error,
    refetch,
  } = useQuery({
    queryKey: [...SESSION_QUERY, 'code', code, replace],
    queryFn: () => signInWithCode(code, replace),
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    if (!session) return;
    takeSession(session);
    void navigate({ href: to, replace: true });
  }, [session, navigate, to]);
  if (!error) return <Spinner aria-label={t('signIn.withCode')} />;
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 409) {
    const links = (
      <>
        <AlertActionLink onClick={() => setReplace(true)}>{t('signIn.replace')}</AlertActionLink>
        <AlertActionLink onClick={() => void navigate({ href: to, replace: true })}>{t('signIn.stay')}</AlertActionLink>
      </>
    );
    return (
      <Alert variant="warning" isInline title={error.message} actionLinks={links}>
        {t('signIn.replaceHelp')}
      </Alert>
    );
  }
  if (status === 401) return <Alert variant="danger" isInline title={t('signIn.codeRefused')} />;
  // Nobody tried it: it is good still.
  const retry = <AlertActionLink onClick={() => void refetch()}>{t('state.retry')}</AlertActionLink>;
  return <Alert variant="danger" isInline isLiveRegion title={error.message} actionLinks={retry} />;
}
