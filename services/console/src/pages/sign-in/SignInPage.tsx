import {
  Alert,
  AlertActionLink,
  Button,
  Card,
  CardBody,
  Divider,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  Spinner,
  Stack,
  StackItem,
  TextInput,
  Title,
} from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error.js';
import { loginUrl, offeredIssuers, signInWithToken } from '../../api/session.js';
import { takeSession } from '../../app/session-query.js';
import { useArrival } from '../../components/use-arrival.js';
import { CodeSignIn } from './CodeSignIn.js';
import { codeOf, wayOn } from './way-on.js';

/** What the front door says; stable. */
const KNOWN_ERRORS = [
  'issuer_unknown',
  'issuer_unavailable',
  'sign_in_expired',
  'sign_in_refused',
  'token_refused',
  'session_too_large',
  'too_many_attempts',
];

/** How soon issuers are asked for again that could not be read. */
const AGAIN_MS = 5_000;

/** The way in: an issuer of the platform, or a token. */
export function SignInPage(): ReactElement {
  const { t } = useTranslation();
  const { to, error }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const target = wayOn(to);
  const heading = useArrival();
  const [code] = useState(() => codeOf(globalThis.location.hash));
  useEffect(() => {
    document.title = t('signIn.title');
  }, [t]);
  useEffect(() => {
    // Used up in a moment; no history is to keep it.
    if (code !== undefined) globalThis.history.replaceState(globalThis.history.state, '', globalThis.location.pathname);
  }, [code]);
  return (
    <main className="crate-sign-in">
      <Card>
        <CardBody>
          <Stack hasGutter>
            <img src="/console/crate.svg" alt="" width={40} height={40} />
            <Title ref={heading} tabIndex={-1} headingLevel="h1">
              {t('signIn.title')}
            </Title>
            {typeof error === 'string' && (
              <Alert variant="danger" isInline title={t('signIn.error.title')}>
                {t(`signIn.error.${KNOWN_ERRORS.includes(error) ? error : 'unknown'}`, { code: error })}
              </Alert>
            )}
            {code !== undefined && <CodeSignIn code={code} to={target} />}
            <Issuers to={target} />
            <Divider />
            <Title headingLevel="h2" size="md">
              {t('signIn.orToken')}
            </Title>
            <TokenForm to={target} />
          </Stack>
        </CardBody>
      </Card>
    </main>
  );
}

function Issuers({ to }: { readonly to: string }): ReactElement {
  const { t } = useTranslation();
  const {
    data: issuers,
    errorUpdateCount,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['issuers'],
    queryFn: offeredIssuers,
    refetchInterval: ({ state }) => (state.data === undefined ? AGAIN_MS : false),
    retry: false,
  });
  // Until there is an answer: each question forgets the error of the one before.
  if (!issuers && errorUpdateCount > 0) return <IssuersUnknown isAsking={isFetching} onRetry={() => void refetch()} />;
  if (!issuers) return <Spinner size="md" aria-label={t('state.loading')} />;
  if (issuers.length === 0) return <StackItem>{t('signIn.noIssuers')}</StackItem>;
  return (
    <>
      {issuers.map(({ name }) => (
        <Button key={name} component="a" variant="primary" isBlock href={loginUrl(name, `/console${to}`)}>
          {t('signIn.withIssuer', { name })}
        </Button>
      ))}
    </>
  );
}

/** A platform that does not answer may have identity providers all the same. */
function IssuersUnknown({
  isAsking,
  onRetry,
}: {
  readonly isAsking: boolean;
  readonly onRetry: () => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert
      variant="warning"
      isInline
      isLiveRegion
      title={t('signIn.issuersUnknown')}
      actionLinks={
        <AlertActionLink isLoading={isAsking} onClick={onRetry}>
          {t('state.retry')}
        </AlertActionLink>
      }
    >
      {t('state.unreachableHelp')}
    </Alert>
  );
}

function TokenForm({ to }: { readonly to: string }): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      takeSession(await signInWithToken(token.trim()));
      await navigate({ href: to });
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401;
      setFailure(isRefused ? t('signIn.tokenRefused') : error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={(event) => void submit(event)}>
      {failure !== undefined && <Alert variant="danger" isInline isLiveRegion title={failure} />}
      <FormGroup label={t('signIn.token')} fieldId="token">
        <TextInput
          id="token"
          type="password"
          autoComplete="off"
          isRequired
          value={token}
          onChange={(_event, value) => setToken(value)}
          aria-describedby="token-help"
        />
        <FormHelperText>
          <HelperText id="token-help">
            <HelperTextItem>{t('signIn.tokenHelp')}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
      <Button type="submit" variant="secondary" isBlock isLoading={isBusy} isDisabled={token.trim() === '' || isBusy}>
        {t('signIn.submit')}
      </Button>
    </Form>
  );
}
