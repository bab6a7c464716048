import { readFile } from 'node:fs/promises';
import type { OidcIssuerOptions } from '@crate/auth';
import { fetchTrusting } from '@crate/auth';
import { isPlatformError, unauthenticated, unavailable } from '@crate/errors';
import type { Configuration, ResponseBodyError, TokenEndpointResponse } from 'openid-client';
import { signInPrompt } from './sign-in-prompt.js';

const TIMEOUT_SECONDS = 10;
const REMEMBER_MS = 3_600_000;
/** Servers take addresses of twice that. */
const LONGEST_HINT = 4_000;

/** What an issuer gives for a sign-in. Times are milliseconds since 1970. */
export interface IssuedTokens {
  readonly idToken: string;
  readonly expiresAt: number;
  readonly refreshToken?: string;
}

/** What has to come back with the code, or the sign-in is somebody else's. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/**
 * One issuer, as the client that the console is there. Throws Unauthenticated for what the issuer refuses, and Unavailable while it
 * does not answer. Tokens it gives are not verified here: the front door's authenticators do that.
 */
export class IssuerClient {
  private known: { readonly configuration: Promise<Configuration>; readonly readAt: number } | undefined;

  constructor(private readonly options: OidcIssuerOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** The page of the issuer where a person signs in: authorization code with PKCE. `asksAnew`: whoever was signed in there before. */
  async signInPage(
    redirectUri: string,
    { state, nonce, verifier }: SignInChecks,
    { asksAnew = false } = {},
  ): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const { scopes = [], resource } = this.options.login ?? {};
    const configuration = await this.asking(() => this.configuration());
    const supported = configuration.serverMetadata()['prompt_values_supported'];
    const prompt = signInPrompt({ asksAnew, scopes, supported });
    const url = buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: redirectUri, scope: scopes.join(' '), state, nonce },
      ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      ...(resource === undefined ? {} : { resource }),
      ...(prompt === '' ? {} : { prompt }),
    });
    return url.href;
  }

  /** Tokens for the code that the browser came back with. */
  async redeem(callback: URL, { state, nonce, verifier }: SignInChecks): Promise<IssuedTokens> {
    const { authorizationCodeGrant } = await import('openid-client');
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    return this.asking(async () => issued(await authorizationCodeGrant(await this.configuration(), callback, checks)));
  }

  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const { refreshTokenGrant } = await import('openid-client');
    const tokens = await this.asking(async () =>
      issued(await refreshTokenGrant(await this.configuration(), refreshToken)),
    );
    // An issuer that does not rotate leaves the old one good.
    return { refreshToken, ...tokens };
  }

  /** Ends the refresh token, where the issuer can. */
  async revoke(refreshToken: string): Promise<void> {
    const { tokenRevocation } = await import('openid-client');
    await this.asking(async () => {
      const configuration = await this.configuration();
      if (configuration.serverMetadata().revocation_endpoint === undefined) return;
      await tokenRevocation(configuration, refreshToken);
    });
  }

  /**
   * The page of the issuer where it ends its session of a person; undefined where it has none. It leads nowhere from there: many an
   * issuer refuses an address to go back to that it was not told of. Without the token it asks the person first.
   */
  async signOutPage(idToken: string): Promise<string | undefined> {
    const { buildEndSessionUrl } = await import('openid-client');
    const configuration = await this.asking(() => this.configuration());
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const hint = idToken.length > LONGEST_HINT ? {} : { id_token_hint: idToken };
    return buildEndSessionUrl(configuration, hint).href;
  }

  /** What the issuer says of itself, read now and then; a failure is not remembered. */
  private configuration(): Promise<Configuration> {
    if (!this.known || Date.now() - this.known.readAt > REMEMBER_MS) {
      const known = { configuration: this.discover(), readAt: Date.now() };
      this.known = known;
      known.configuration.catch(() => {
        if (this.known === known) this.known = undefined;
      });
    }
    return this.known.configuration;
  }

  private async discover(): Promise<Configuration> {
    const { ClientSecretPost, customFetch, discovery, None } = await import('openid-client');
    const { issuer, login, caFile } = this.options;
    const { clientId, clientSecretFile } = { clientId: '', ...login, ...login?.console };
    const secret = clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
    const readAuthorities = caFile === undefined ? undefined : () => readFile(caFile);
    return discovery(new URL(issuer), clientId, undefined, secret === undefined ? None() : ClientSecretPost(secret), {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: fetchTrusting(readAuthorities),
    });
  }

  private async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isPlatformError(error)) throw error;
      const { issuer } = this.options;
      const { error: refusal } = error as Partial<ResponseBodyError>;
      if (typeof refusal === 'string') throw unauthenticated(`${issuer} refuses: ${refusal}`, error);
      throw unavailable(`${issuer} does not answer as an issuer does`, error);
    }
  }
}

function issued(answer: TokenEndpointResponse & { claims(): { exp: number } | undefined }): IssuedTokens {
  const claims = answer.claims();
  const { id_token: idToken, refresh_token: refreshToken } = answer;
  if (idToken === undefined || !claims) throw unauthenticated('The issuer gave no ID token');
  return { idToken, expiresAt: claims.exp * 1000, ...(refreshToken === undefined ? {} : { refreshToken }) };
}
