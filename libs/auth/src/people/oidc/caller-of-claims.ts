import type { Caller } from '@crate/resource-client';
import type { JWTPayload } from 'jose';
import { PLATFORM_ADMIN_GROUP } from '../platform-admin.js';
import { AUTHENTICATED_GROUP, RESERVED_PREFIX } from '../token-issuer.js';
import type { OidcIssuerOptions } from './issuer-options.js';

/** Key in `Caller.extra` of the issuer that vouches for the person. */
export const ISSUER_EXTRA = 'authentication.crate.dev/issuer';

const LONGEST_NAME = 253;
const EMAIL = 'email';

/** What of an issuer's options says how its claims are read. */
export type ClaimRules = Pick<
  OidcIssuerOptions,
  'issuer' | 'username' | 'groups' | 'platformAdmins' | 'requiredClaims'
> & {
  /** Prefixes of other issuers' names, which names of this one must not begin with. */
  readonly foreignPrefixes: readonly string[];
};

/** The person that verified claims are about. Throws when they name none, or one who is not the issuer's to name. */
export function callerOfClaims(claims: JWTPayload, rules: ClaimRules): Caller {
  checkRequired(claims, rules);
  const user = userOf(claims, rules);
  const stated = groupsOf(claims, rules);
  const own = stated
    .map((group) => `${rules.groups.prefix}${group}`)
    // Who may make groups at an issuer must not become an administrator by the name of one: `platformAdmins` alone says who is.
    .filter((group) => isOwn(group, rules) && group !== PLATFORM_ADMIN_GROUP);
  const admin = stated.some((group) => rules.platformAdmins.includes(group)) ? [PLATFORM_ADMIN_GROUP] : [];
  const groups = [...new Set([...own, ...admin, AUTHENTICATED_GROUP])];
  return { user, groups, extra: { [ISSUER_EXTRA]: [rules.issuer] } };
}

function checkRequired(claims: JWTPayload, { requiredClaims }: ClaimRules): void {
  for (const [claim, value] of Object.entries(requiredClaims)) {
    if (claims[claim] !== value) throw new Error(`Claim ${claim} is not as required`);
  }
}

function userOf(claims: JWTPayload, rules: ClaimRules): string {
  const { claim, prefix } = rules.username;
  const value = claims[claim];
  if (typeof value !== 'string' || value === '') throw new Error(`Claim ${claim} names nobody`);
  // Whoever may write any address into a profile must not become the person it belongs to.
  if (claim === EMAIL && (claims['email_verified'] ?? true) !== true) throw new Error('The address is not verified');
  const user = `${prefix}${value}`;
  if (user.length > LONGEST_NAME) throw new Error('The name is too long');
  if (!isOwn(user, rules)) throw new Error('Reserved user name');
  return user;
}

function groupsOf(claims: JWTPayload, { groups: { claim } }: ClaimRules): readonly string[] {
  const value = claims[claim] ?? [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((group) => typeof group === 'string')) throw new Error(`Claim ${claim} is no list of names`);
  return list.filter((group) => group !== '' && group.length <= LONGEST_NAME);
}

function isOwn(name: string, { foreignPrefixes }: ClaimRules): boolean {
  return ![RESERVED_PREFIX, ...foreignPrefixes].some((prefix) => name.startsWith(prefix));
}
