import { fetchTrusting } from '@crate/auth';
import { PlatformError, unauthenticated, unavailable } from '@crate/errors';
import type { ResponseBodyError } from 'openid-client';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client';
import type { LoginOffer } from './login-offer.js';
import { whyUnreachable } from '../output/why-unreachable.js';
import { LoopbackServer } from './loopback-server.js';

const PATIENCE_MS = 5 * 60_000;
const OFFLINE = 'offline_access';

/** What signing in gives. */
export interface Tokens {
  readonly idToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly refreshToken?: string;
}

/** A code to be entered elsewhere. */
export interface DeviceCode {
  readonly userCode: string;
  readonly url: string;
  /** With the code in it. */
  readonly completeUrl?: string;
}

/** One issuer, as the public client that the platform publishes for it. */
export class OidcClient {
  private constructor(
    private readonly offer: LoginOffer,
    private readonly configuration: Configuration,
  ) {}

  /** Throws Unavailable when the issuer does not answer. */
  static async open(offer: LoginOffer): Promise<OidcClient> {
    const { issuer, clientId, certificateAuthority: ca } = offer;
    const options = ca === undefined ? {} : { [customFetch]: fetchTrusting(() => Promise.resolve(ca)) };
    return explaining(issuer, async () => {
      const configuration = await discovery(new URL(issuer), clientId, undefined, None(), options);
      return new OidcClient(offer, configuration);
    });
  }

  /** Authorization code with PKCE; `show` gets the page to open. */
  async signInByBrowser(show: (url: string) => Promise<void>, port?: number): Promise<Tokens> {
    const loopback = await LoopbackServer.open(port);
    try {
      const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()];
      const url = buildAuthorizationUrl(this.configuration, {
        ...this.request(),
        redirect_uri: loopback.redirectUri,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...{ state, nonce },
        // What OpenID Connect asks of whoever wants a refresh token (Core, section 11).
        ...(this.offer.scopes.includes(OFFLINE) ? { prompt: 'consent' } : {}),
      });
      await show(url.href);
      const callback = await loopback.callback(PATIENCE_MS);
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      return await this.ask(() => authorizationCodeGrant(this.configuration, callback, checks));
    } finally {
      loopback.close();
    }
  }

  /** Device authorization (RFC 8628); `show` gets the code to enter. */
  async signInByDevice(show: (code: DeviceCode) => void): Promise<Tokens> {
    return this.ask(async () => {
      const code = await initiateDeviceAuthorization(this.configuration, this.request());
      const { user_code: userCode, verification_uri: url, verification_uri_complete: completeUrl } = code;
      show({ userCode, url, ...(completeUrl === undefined ? {} : { completeUrl }) });
      return pollDeviceAuthorizationGrant(this.configuration, code);
    });
  }

  /** Throws Unauthenticated when the issuer takes the refresh token no longer, Unavailable when it does not answer. */
  async refresh(refreshToken: string): Promise<Tokens> {
    const tokens = await this.ask(() => refreshTokenGrant(this.configuration, refreshToken));
    // An issuer that does not rotate leaves the old one good.
    return { refreshToken, ...tokens };
  }

  /** Ends the refresh token, where the issuer can. */
  async revoke(refreshToken: string): Promise<void> {
    if (this.configuration.serverMetadata().revocation_endpoint === undefined) return;
    await explaining(this.offer.issuer, () => tokenRevocation(this.configuration, refreshToken));
  }

  private request(): Record<string, string> {
    const { scopes, resource } = this.offer;
    return { scope: scopes.join(' '), ...(resource === undefined ? {} : { resource }) };
  }

  private async ask(
    grant: () => Promise<TokenEndpointResponse & { claims(): { exp: number } | undefined }>,
  ): Promise<Tokens> {
    const answer = await explaining(this.offer.issuer, grant);
    const claims = answer.claims();
    const { id_token: idToken, refresh_token: refreshToken } = answer;
    if (idToken === undefined || !claims) throw unauthenticated(`${this.offer.issuer} gave no ID token`);
    return { idToken, expiresAt: claims.exp * 1000, ...(refreshToken === undefined ? {} : { refreshToken }) };
  }
}

/** Errors for the person at the terminal; what the issuer refuses is Unauthenticated. */
async function explaining<T>(issuer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const refusal = error as Partial<ResponseBodyError>;
    if (typeof refusal.error === 'string') {
      const detail = refusal.error_description ?? refusal.error;
      throw unauthenticated(`${issuer} refuses: ${detail}`, error);
    }
    throw unavailable(`Cannot sign in at ${issuer}: ${whyUnreachable(error)}`, error);
  }
}
