/** Tags of the values that certificates are made of. Source: ITU-T X.690, 8; RFC 5280, appendix A. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  null: 0x05,
  objectId: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Years that UTCTime cannot say. Source: RFC 5280, 4.1.2.5. */
const GENERALIZED_FROM = 2050;

/** A value under any tag. */
export function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(TAG.sequence, Buffer.concat(parts));
}

/** For sets of one: more would have to be sorted. */
export function setOf(part: Uint8Array): Buffer {
  return tagged(TAG.set, part);
}

/** Unsigned, most significant byte first; without leading zeros but the one that keeps it positive. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.of(0) : Buffer.from(bytes.subarray(first));
  return tagged(TAG.integer, (digits[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), digits]) : digits);
}

export function yes(): Buffer {
  return tagged(TAG.boolean, Buffer.of(0xff));
}

export function nothing(): Buffer {
  return tagged(TAG.null, Buffer.of());
}

export function octets(content: Uint8Array): Buffer {
  return tagged(TAG.bytes, content);
}

/** Whole bytes, of which the last `unused` bits say nothing. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(TAG.bits, Buffer.concat([Buffer.of(unused), content]));
}

export function utf8(text: string): Buffer {
  return tagged(TAG.utf8, Buffer.from(text));
}

/** Of an identifier in dots, such as `2.5.4.3`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.objectId, Buffer.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** To the second. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`;
  if (date.getUTCFullYear() >= GENERALIZED_FROM) return tagged(TAG.generalizedTime, Buffer.from(digits));
  return tagged(TAG.utcTime, Buffer.from(digits.slice(2)));
}

/** The values within a constructed one, each with its tag. Throws for what is cut off. */
export function partsOf(value: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let rest = insideOf(value); rest.length > 0; rest = rest.subarray(parts.at(-1)?.length)) {
    parts.push(rest.subarray(0, contentOf(rest).end));
  }
  return parts;
}

/** What a value holds, without its tag. Throws for one that is cut off. */
export function insideOf(value: Uint8Array): Uint8Array {
  const { at, end } = contentOf(value);
  return value.subarray(at, end);
}

/** Where the content of the first value begins and ends. */
function contentOf(value: Uint8Array): { readonly at: number; readonly end: number } {
  const first = value[1] ?? 0;
  const at = first > 0x7f ? first - 0x80 + 2 : 2;
  const length = at === 2 ? first : value.subarray(2, at).reduce((sum, byte) => sum * 0x1_00 + byte, 0);
  if (at + length > value.length) throw new Error('A DER value is cut off');
  return { at, end: at + length };
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const digits = length < 0x1_00 ? 1 : length < 0x1_00_00 ? 2 : 3;
  const bytes = Buffer.alloc(digits + 1, 0x80 + digits);
  bytes.writeUIntBE(length, 1, digits);
  return bytes;
}

/** Seven bits a byte, and a high bit on each but the last. */
function inSevens(value: number): readonly number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
