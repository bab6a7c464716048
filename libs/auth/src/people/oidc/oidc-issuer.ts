import type { Logger } from '@crate/telemetry';
import { jwtVerify, type JSONWebKeySet } from 'jose';
import { TokenIssuer, type VerifiedToken } from '../token-issuer.js';
import { callerOfClaims, type ClaimRules } from './caller-of-claims.js';
import { fetchIssuerKeys } from './fetch-issuer-keys.js';
import { IssuerKeys } from './issuer-keys.js';
import type { OidcIssuerOptions } from './issuer-options.js';

export interface OidcIssuerDependencies {
  readonly logger: Logger;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: by the issuer's discovery document. */
  readonly fetchKeys?: () => Promise<JSONWebKeySet>;
}

/** Accepts ID tokens, and access tokens in the form of ID tokens, of one OpenID Connect issuer. */
export class OidcIssuer extends TokenIssuer {
  override readonly issuer: string;
  private readonly keys: IssuerKeys;
  private readonly rules: ClaimRules;
  private readonly now: () => number;

  /** `others`: all issuers, whose names this one must not give. */
  constructor(
    private readonly options: OidcIssuerOptions,
    others: readonly OidcIssuerOptions[],
    { logger, now = Date.now, fetchKeys = () => fetchIssuerKeys(options) }: OidcIssuerDependencies,
  ) {
    super();
    this.issuer = options.issuer;
    this.now = now;
    this.keys = new IssuerKeys({ name: options.name, fetchKeys, logger, now });
    this.rules = { ...options, foreignPrefixes: foreignPrefixes(options, others) };
  }

  override get version(): number {
    return this.keys.version;
  }

  /** Begins to read keys; an issuer that is down stops nothing. */
  start(): void {
    this.keys.start();
  }

  close(): void {
    this.keys.close();
  }

  override async verify(token: string): Promise<VerifiedToken> {
    const { issuer, audiences, algorithms, clockSkewSeconds } = this.options;
    const { payload } = await jwtVerify(token, (header, jws) => this.keys.find(header, jws), {
      issuer,
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.now()),
      requiredClaims: ['exp'],
    });
    const { exp = 0 } = payload;
    return { caller: callerOfClaims(payload, this.rules), expiresAt: exp + clockSkewSeconds };
  }
}

/** With an empty prefix, names of every form would be this issuer's: those of the others are taken out. */
function foreignPrefixes(own: OidcIssuerOptions, all: readonly OidcIssuerOptions[]): readonly string[] {
  const others = all.filter(({ issuer }) => issuer !== own.issuer);
  const prefixes = others.flatMap(({ username, groups }) => [username.prefix, groups.prefix]);
  const ownPrefixes = [own.username.prefix, own.groups.prefix];
  // A shorter one, of which the own prefix is a continuation, belongs to nobody else here.
  return prefixes.filter((prefix) => prefix !== '' && !ownPrefixes.some((mine) => mine.startsWith(prefix)));
}
