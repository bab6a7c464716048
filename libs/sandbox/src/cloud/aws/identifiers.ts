import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from './resource-type.js';

const ID_HEX_DIGITS = 17;

/** A new id such as `subnet-0a1b2c3d4e5f60718`. */
export function newId(prefix: string): string {
  return `${prefix}-${randomBytes(9).toString('hex').slice(0, ID_HEX_DIGITS)}`;
}

/** The id that always belongs to `text`, for things that are found, not made. */
export function fixedId(prefix: string, text: string): string {
  return `${prefix}-${createHash('sha256').update(text).digest('hex').slice(0, ID_HEX_DIGITS)}`;
}

/** An Amazon resource name; IAM's have no region. */
export function arn(service: string, scope: Scope, resource: string): string {
  const region = service === 'iam' ? '' : scope.region;
  return `arn:aws:${service}:${region}:${scope.account}:${resource}`;
}

/** Hex digits at random, as load balancers and target groups have in their names. */
export function hex(digits: number): string {
  return randomBytes(digits).toString('hex').slice(0, digits);
}

/** A unique id of IAM, such as `AROA…`. */
export function iamUniqueId(prefix: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return prefix + [...randomBytes(17)].map((byte) => alphabet[byte % alphabet.length]).join('');
}
