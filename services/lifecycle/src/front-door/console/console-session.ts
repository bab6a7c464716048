/** A person who is signed in to the console, as the sealed cookie keeps it. Times are milliseconds since 1970. */
export interface ConsoleSession {
  readonly method: 'oidc' | 'token';
  /** What the API is shown: an ID token, a token of the local issuer or of an API key. */
  readonly token: string;
  /** Absent: the token does not say. */
  readonly tokenExpiresAt?: number;
  /** Name of the issuer that people signed in with. */
  readonly issuer?: string;
  /** However fresh the token is then. */
  readonly endsAt: number;
  /** How the token is renewed; absent: it is not. */
  readonly renewal?: SessionRenewalInfo;
}

/** What renewing takes. */
export interface SessionRenewalInfo {
  /** Name of the issuer. */
  readonly issuer: string;
  readonly refreshToken: string;
  /** From then on, so that a token does not end on its way. */
  readonly dueAt: number;
}

/** A token is renewed so long before its end, or in the last quarter of a short life. */
const SPARE_MS = 60_000;

/** When a token that was issued now is to be renewed. */
export function renewalDueAt(expiresAt: number, now: number): number {
  return expiresAt - Math.min(SPARE_MS, (expiresAt - now) / 4);
}

/** When the person has to sign in again. */
export function sessionEndsAt({ endsAt, tokenExpiresAt = endsAt, renewal }: ConsoleSession): number {
  return renewal ? endsAt : Math.min(endsAt, tokenExpiresAt);
}

/** When a token says that it ends; undefined for one that is no JWT. Proves nothing: who checks the token looks himself. */
export function statedExpiry(token: string): number | undefined {
  try {
    const [, payload = ''] = token.split('.');
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
