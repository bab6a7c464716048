import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** How every token begins, so that scanners for leaked secrets know one when they see it. */
export const TOKEN_PREFIX = 'crate_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 digits of base 62 hold 256 bits. */
const SECRET_LENGTH = 43;
/** 6 digits hold the 32 bits of the checksum. */
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A token as it was issued. */
export interface NewToken {
  readonly token: string;
  readonly id: string;
  readonly digest: Buffer;
}

/** A fresh token: `crate_`, a public id, 256 random bits and a checksum of all that, in base 62. */
export function makeToken(): NewToken {
  const id = randomDigits(ID_LENGTH);
  const body = `${TOKEN_PREFIX}${id}${randomDigits(SECRET_LENGTH)}`;
  const token = `${body}${checksum(body)}`;
  return { token, id, digest: digestOf(token) };
}

/** The id of a token; undefined when it is none of ours, or was mistyped. */
export function idOf(token: string): string | undefined {
  const id = SHAPE.exec(token)?.[1];
  return id !== undefined && token.endsWith(checksum(token.slice(0, -CHECKSUM_LENGTH))) ? id : undefined;
}

/** What is stored of a token. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** How the token of this id begins, for finding out whose it is. */
export function tokenPrefix(id: string): string {
  return `${TOKEN_PREFIX}${id}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = `${DIGITS.charAt(rest % DIGITS.length)}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** Each digit is as likely as any other: bytes beyond the last whole multiple of 62 are thrown away. */
function randomDigits(length: number): string {
  const limit = 256 - (256 % DIGITS.length);
  let digits = '';
  while (digits.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && digits.length < length) digits += DIGITS.charAt(byte % DIGITS.length);
    }
  }
  return digits;
}
