import { Alert, Spinner } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signInWithCode } from '../../api/session.js';
import { queryClient } from '../../app/query-client.js';
import { SESSION_QUERY } from '../../app/session-query.js';

/** Signs in with the code that the command line opened this page with; asked once, because it is good once. */
export function CodeSignIn({ code, to }: { readonly code: string; readonly to: string }): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: session, isError } = useQuery({
    queryKey: ['sign-in-code', code],
    queryFn: () => signInWithCode(code),
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    if (!session) return;
    queryClient.setQueryData(SESSION_QUERY, session);
    void navigate({ href: to, replace: true });
  }, [session, navigate, to]);
  if (isError) return <Alert variant="danger" isInline title={t('signIn.codeRefused')} />;
  return <Spinner aria-label={t('signIn.withCode')} />;
}
